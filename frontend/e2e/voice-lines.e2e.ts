// The Voice page's line to Echo: what waits, what is lost and comes back, and which of two windows talks.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { said, until, visit } from "./browser";
import { setStage } from "./stage";

interface State {
  active: boolean;
  held: boolean;
  busy: boolean;
  turns: { id: number; question: string; status: string; answer: string; error?: { message: string } | null }[];
}

const stage = setStage(async () => {
  await until("the window's leaving", conversation, ({ held }) => !held);
  await stage.server.api("POST", "/api/voice/conversation/end");
});

const conversation = () => stage.server.api<State>("GET", "/api/voice/conversation");

async function voicePage(): Promise<Page> {
  const page = await stage.page();
  await page.getByRole("textbox", { name: "Your question" }).waitFor();
  return page;
}

async function ask(page: Page, words: string): Promise<void> {
  const field = page.getByRole("textbox", { name: "Your question" });
  await field.fill(words);
  await field.press("Enter");
}

const waiting = (page: Page) => page.getByRole("button", { name: /^Remove/ });

test("Q2 S1 four questions wait in their order, a fifth stays in the field, one is removed, Stop stops them all", async () => {
  stage.model.answer("the long one", { parts: ["It begins ", "and ends."], holdAt: 1 });
  const page = await voicePage();
  await ask(page, "Tell me the long one.");
  await said(page, "It begins").waitFor();
  for (const [index, words] of ["First?", "Second?", "Third?", "Fourth?"].entries()) {
    await ask(page, words);
    await until(
      `${words} waiting`,
      () => waiting(page).count(),
      (count) => count === index + 1,
    );
  }
  await ask(page, "Fifth?");
  const field = page.getByRole("textbox", { name: "Your question" });
  await until(
    "the fifth in the field",
    () => field.inputValue(),
    (value) => value === "Fifth?",
  );
  expect(await waiting(page).count()).toBe(4);
  await waiting(page).nth(1).click();
  await until(
    "three",
    () => waiting(page).count(),
    (count) => count === 3,
  );
  await page.getByRole("button", { name: "Stop reply" }).click();
  await said(page, "Stopped").waitFor();
  await until(
    "none waits",
    () => waiting(page).count(),
    (count) => count === 0,
  );
  await page.getByRole("button", { name: "Stop reply" }).waitFor({ state: "detached" });
  const state = await until("all is stopped", conversation, ({ busy }) => !busy);
  expect(state.turns.map(({ answer }) => answer.trim())).toEqual(["It begins"]);
});

test("S1 Ctrl+. stops the reply like the button", async () => {
  stage.model.answer("never ends", { parts: ["On and ", "on."], holdAt: 1 });
  const page = await voicePage();
  await ask(page, "Say what never ends.");
  await said(page, "On and").waitFor();
  await page.keyboard.press("Control+.");
  await said(page, "Stopped").waitFor();
});

test("R9 a reply that failed says why, Try again asks it anew, and what it had written stays", async () => {
  stage.model.answer("anybody there", { parts: ["It begins ", "and "], holdAt: 2, breaks: true });
  const page = await voicePage();
  await ask(page, "Is anybody there?");
  await said(page, "It begins").waitFor();
  stage.model.release("anybody there");
  const retry = page.getByRole("button", { name: "Try again" });
  await retry.waitFor();
  const why = (await conversation()).turns[0]?.error?.message ?? "";
  expect(why).toMatch(/[.]$/);
  await said(page, why).waitFor();
  stage.model.answer("anybody there", { parts: ["I am."] });
  await retry.last().click();
  await said(page, "I am.").waitFor();
  await said(page, "It begins").waitFor();
  const { turns } = await conversation();
  expect(turns.map(({ status, answer }) => [status, answer])).toEqual([
    ["failed", "It begins and "],
    ["answered", "I am."],
  ]);
});

test("R5 R6 a server that sleeps is noticed within seconds, and joined again unseen once it wakes", async () => {
  stage.model.answer("slow tide", { parts: ["Water ", "comes ", "back."], holdAt: 1 });
  const page = await voicePage();
  await ask(page, "What is the slow tide?");
  await said(page, "Water").waitFor();
  const again = page.waitForRequest(/\/api\/voice\/sessions$/, { timeout: 15_000 });
  stage.server.freeze();
  await again.finally(() => stage.server.thaw());
  await until("attached again", conversation, ({ held }) => held);
  stage.model.release("slow tide");
  await said(page, "Water comes back.").waitFor();
  expect(await page.getByRole("button", { name: /Continue conversation|Talk here/ }).count()).toBe(0);
  expect(stage.model.asked("slow tide")).toBe(1);
});

test("D6 two pages: the second takes over by a click alone, both say it, and the first takes it back", async () => {
  const first = await voicePage();
  await ask(first, "Hello, first.");
  await said(first, "Nothing is scripted for that.").waitFor();
  const second = await voicePage();
  await second.getByText("Echo is talking in another window.").waitFor();
  expect(await first.getByText("The conversation has moved").count()).toBe(0);
  await second.getByRole("button", { name: "Talk here instead" }).click();
  await first.getByText("The conversation has moved to another window. It goes on there.").waitFor();
  await said(second, "Nothing is scripted for that.").waitFor();
  await ask(second, "Hello, second.");
  await until(
    "the second answer",
    conversation,
    ({ turns }) => turns.at(-1)?.status === "answered" && turns.length === 2,
  );
  await first.getByRole("button", { name: "Talk here", exact: true }).click();
  await second.getByText("The conversation has moved to another window. It goes on there.").waitFor();
  await said(first, "Hello, second.").waitFor();
});

test("B2 a hand-over without a floating Echo says so, and the conversation can be taken back", async () => {
  const page = await voicePage();
  await ask(page, "Hello again.");
  await said(page, "Nothing is scripted for that.").waitFor();
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("menuitem", { name: "Move to floating Echo" }).click();
  await page
    .getByText(/window/i)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Talk here", exact: true }).click();
  await until("attached again", conversation, ({ held }) => held);
});

test("S2 R3 End conversation ends and forgets; the keyboard alone gets there", async () => {
  const page = await voicePage();
  await page.getByRole("textbox", { name: "Your question" }).focus();
  await page.keyboard.type("Hello by keyboard.");
  await page.keyboard.press("Enter");
  await said(page, "Nothing is scripted for that.").waitFor();
  const menu = page.getByRole("button", { name: "Menu" });
  for (let tab = 0; tab < 20 && !(await menu.evaluate((it) => it === document.activeElement)); tab++) {
    await page.keyboard.press("Shift+Tab");
  }
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "End conversation" }).waitFor();
  await page.keyboard.type("End");
  await page.keyboard.press("Enter");
  await page.getByText("This conversation has ended.").waitFor();
  expect((await conversation()).active).toBe(false);
});

test("H5 H6 the status line says whether the conversation is saved, and the switch stops it", async () => {
  const page = await voicePage();
  await ask(page, "Is this saved?");
  await page.getByText("saved in Chat", { exact: true }).waitFor();
  await stage.server.api("PATCH", "/api/settings", { voice: { save_conversations: false } });
  await ask(page, "And this?");
  await page.getByText("not saved", { exact: true }).waitFor();
  await stage.server.api("PATCH", "/api/settings", { voice: { save_conversations: true } });
});

test("H7 a chat deleted while Echo talks is not recreated, and Echo says so", async () => {
  const page = await voicePage();
  await ask(page, "Keep this one.");
  await said(page, "Nothing is scripted for that.").waitFor();
  const { chat } = await until(
    "the chat",
    () => stage.server.api<{ chat: { id: string } | null }>("GET", "/api/voice/conversation"),
    (state) => (state.chat ?? null) !== null,
  );
  await stage.server.api("DELETE", `/api/chat/sessions/${chat?.id}`);
  await page.getByText("This chat was deleted. The rest of this conversation is not saved.").waitFor();
  await ask(page, "And this is not kept.");
  await until("the answer", conversation, ({ turns }) => turns.length === 2 && turns.at(-1)?.status === "answered");
  const { sessions } = await stage.server.api<{ sessions: { title: string }[] }>("GET", "/api/chat/sessions");
  expect(sessions.some(({ title }) => title === "Keep this one.")).toBe(false);
});

test("B3 very long words, other scripts and 100 kB in one answer neither break the page nor widen it", async () => {
  const long = "x".repeat(4000);
  const parts = [
    "مرحبا بالعالم\n\n",
    "你好，世界。\n\n",
    "👩‍👩‍👧‍👦 family\n\n",
    `${long}\n\n`,
    "word ".repeat(20_000),
    "\n\nThe very end.",
  ];
  stage.model.answer("everything", { parts });
  const { page, context, errors } = await visit(stage.browser, stage.server, {
    path: "/chat/new",
    width: 320,
    height: 640,
  });
  await ask(page, `Give me everything ${"y".repeat(500)}`);
  await said(page, "The very end.").waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  expect(errors).toEqual([]);
  await context.close();
});
