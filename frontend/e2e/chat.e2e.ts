import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { said, until } from "./browser";
import { setStage } from "./stage";

interface Row {
  id: string;
  title: string;
  replying: boolean;
}

interface Item {
  role: string;
  text: string;
  state: string;
}

const stage = setStage();

async function chatPage(path = "/chat"): Promise<Page> {
  return await stage.page({ path });
}

const rows = async () => (await stage.server.api<{ sessions: Row[] }>("GET", "/api/chat/sessions")).sessions;
const items = async (id: string) =>
  (await stage.server.api<{ items: Item[] }>("GET", `/api/chat/sessions/${id}`)).items;

async function ask(page: Page, question: string): Promise<void> {
  const field = page.getByRole("textbox", { name: "Your question" });
  await field.fill(question);
  await field.press("Enter");
}

/** The id of the chat that the address names. */
async function chatOf(page: Page): Promise<string> {
  await page.waitForURL(/\/chat\/(?!new)[^/]+$/);
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

describe("a chat", () => {
  test("C1 a question is answered as it is written, in a new chat titled after it", async () => {
    stage.model.answer("capital of France", { parts: ["The capital ", "of France ", "is Paris."], holdAt: 1 });
    const page = await chatPage();
    await ask(page, "What is the capital of France?");
    await said(page, "The capital").waitFor();
    await page.getByRole("button", { name: "Stop reply" }).waitFor();
    stage.model.release("capital of France");
    await said(page, "The capital of France is Paris.").waitFor();
    await page.getByRole("button", { name: "Ask", exact: true }).waitFor();
    const id = await chatOf(page);
    expect((await rows()).find((row) => row.id === id)?.title).toBe("What is the capital of France?");
    expect((await items(id)).map(({ text }) => text)).toEqual([
      "What is the capital of France?",
      "The capital of France is Paris.",
    ]);
  });

  test("C2 leaving and returning, and a reload, show the whole answer", async () => {
    stage.model.answer("tallest mountain", { parts: ["Mount ", "Everest, ", "at 8,849 metres."], holdAt: 2 });
    const page = await chatPage();
    await ask(page, "What is the tallest mountain?");
    await said(page, "Mount Everest,").waitFor();
    const id = await chatOf(page);
    await page.getByRole("link", { name: "Voice" }).click();
    await page.waitForURL(/\/voice/);
    expect((await rows()).find((row) => row.id === id)?.replying).toBe(true);
    await page.getByRole("link", { name: "Chat", exact: true }).click();
    await page.getByRole("img", { name: "Still answering" }).waitFor();
    await page.getByRole("link", { name: /What is the tallest mountain/ }).click();
    await said(page, "Mount Everest,").waitFor();
    await page.reload({ waitUntil: "domcontentloaded" });
    await said(page, "Mount Everest,").waitFor();
    stage.model.release("tallest mountain");
    await said(page, "Mount Everest, at 8,849 metres.").waitFor();
    expect(await page.getByText("What is the tallest mountain?", { exact: true }).count()).toBeGreaterThan(0);
    expect(stage.model.asked("tallest mountain")).toBe(1);
  });

  test("C3 Stop keeps what was written, and Try again asks anew", async () => {
    stage.model.answer("endless story", { parts: ["Once upon ", "a time."], holdAt: 1 });
    const page = await chatPage();
    await ask(page, "Tell me an endless story.");
    await said(page, "Once upon").waitFor();
    const id = await chatOf(page);
    await page.keyboard.press("Control+.");
    await page.getByText("Stopped", { exact: true }).waitFor();
    await until(
      "the stopped answer is kept",
      () => items(id),
      (all) => all.at(-1)?.state === "stopped",
    );
    expect((await items(id)).at(-1)?.text.trim()).toBe("Once upon");
    stage.model.answer("endless story", { parts: ["Once upon a time, the end."] });
    await page.getByRole("button", { name: "Try again" }).click();
    await said(page, "Once upon a time, the end.").waitFor();
    await page.getByText("Stopped", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  });

  test("C3 a second question to a chat that answers is refused in words, and stays in the field", async () => {
    stage.model.answer("slow one", { parts: ["It takes ", "a while."], holdAt: 1 });
    const page = await chatPage();
    await ask(page, "This is a slow one.");
    await said(page, "It takes").waitFor();
    await ask(page, "And another?");
    await page.getByText("Echo is still answering in this chat.").waitFor();
    expect(await page.getByRole("textbox", { name: "Your question" }).inputValue()).toBe("And another?");
    stage.model.release("slow one");
    await said(page, "It takes a while.").waitFor();
  });

  test("C4 a question in another chat waits, and says for what", async () => {
    stage.model.answer("holds the line", { parts: ["Please ", "hold."], holdAt: 1 });
    stage.model.answer("comes second", { parts: ["Now it is my turn."] });
    const first = await chatPage();
    await ask(first, "Who holds the line?");
    await said(first, "Please").waitFor();
    const second = await chatPage();
    await ask(second, "Who comes second?");
    await second.getByText("Waiting for the reply in another chat to finish…").waitFor();
    stage.model.release("holds the line");
    await said(second, "Now it is my turn.").waitFor();
    await said(first, "Please hold.").waitFor();
  });

  test("R11 an answer that a crash cut off is shown as interrupted, with Try again", async () => {
    stage.model.answer("cut off", { parts: ["This much ", "and no more."], holdAt: 1 });
    const page = await chatPage();
    await ask(page, "What is cut off?");
    await said(page, "This much").waitFor();
    const id = await chatOf(page);
    await until(
      "the journal",
      () => items(id),
      (all) => all.length > 0,
    );
    await stage.server.crash();
    await page.getByText("Echo was closed before this answer was finished.").waitFor();
    stage.model.release("cut off");
    stage.model.answer("cut off", { parts: ["All of it, this time."] });
    await page.getByRole("button", { name: "Try again" }).click();
    await said(page, "All of it, this time.").waitFor();
  });

  test("reading back up is never scrolled away from while the answer is written", async () => {
    const lines = Array.from({ length: 120 }, (_, index) => `Line ${index + 1} of a long answer.\n\n`);
    stage.model.answer("long answer", { parts: [...lines.slice(0, 60), ...lines.slice(60)], holdAt: 60 });
    const page = await chatPage();
    await ask(page, "Give me a long answer.");
    const conversation = page.getByRole("region", { name: "Conversation" });
    await said(page, "Line 60 of a long answer.").waitFor();
    const seen = () =>
      conversation.evaluate((element) => {
        const end = element.scrollHeight - element.scrollTop - element.clientHeight;
        return { top: element.scrollTop, height: element.scrollHeight, end };
      });
    await until("the newest in sight", seen, ({ end }) => end < 60);
    await conversation.hover();
    await page.mouse.wheel(0, -700);
    const before = await until("reading back", seen, ({ end }) => end > 400);
    stage.model.release("long answer");
    const after = await until("the rest", seen, ({ height }) => height > before.height + 1000);
    expect(Math.abs(after.top - before.top)).toBeLessThan(2);
    await page.getByRole("button", { name: "Newest" }).click();
    await said(page, "Line 120 of a long answer.").waitFor();
    await until("the newest in sight again", seen, ({ end }) => end < 60);
  });

  test("an unsent question is kept for its chat", async () => {
    const page = await chatPage();
    await page.getByRole("textbox", { name: "Your question" }).fill("Half a thought");
    await page.reload({ waitUntil: "domcontentloaded" });
    const field = page.getByRole("textbox", { name: "Your question" });
    await field.waitFor();
    await until(
      "the draft",
      () => field.inputValue(),
      (value) => value === "Half a thought",
    );
  });
});
