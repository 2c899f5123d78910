import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { said, startBrowser, until, type Visit, visit } from "./browser";
import { type Model, startModel } from "./model";
import { type Server, startServer } from "./server";

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

let server: Server;
let browser: Browser;
let model: Model;
let open: Visit[] = [];

beforeAll(async () => {
  model = await startModel();
  server = await startServer(model.settings);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await model?.stop();
});

afterEach(async () => {
  const visits = open;
  open = [];
  for (const { context, errors } of visits) {
    await context.close();
    expect(errors).toEqual([]);
  }
});

async function chatPage(path = "/chat"): Promise<Page> {
  const made = await visit(browser, server, { path });
  open.push(made);
  return made.page;
}

const rows = async () => (await server.api<{ sessions: Row[] }>("GET", "/api/chat/sessions")).sessions;
const items = async (id: string) => (await server.api<{ items: Item[] }>("GET", `/api/chat/sessions/${id}`)).items;

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
    model.answer("capital of France", { parts: ["The capital ", "of France ", "is Paris."], holdAt: 1 });
    const page = await chatPage();
    await ask(page, "What is the capital of France?");
    await said(page, "The capital").waitFor();
    await page.getByRole("button", { name: "Stop reply" }).waitFor();
    model.release("capital of France");
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
    model.answer("tallest mountain", { parts: ["Mount ", "Everest, ", "at 8,849 metres."], holdAt: 2 });
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
    model.release("tallest mountain");
    await said(page, "Mount Everest, at 8,849 metres.").waitFor();
    expect(await page.getByText("What is the tallest mountain?", { exact: true }).count()).toBeGreaterThan(0);
    expect(model.asked("tallest mountain")).toBe(1);
  });

  test("C3 Stop keeps what was written, and Try again asks anew", async () => {
    model.answer("endless story", { parts: ["Once upon ", "a time."], holdAt: 1 });
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
    model.answer("endless story", { parts: ["Once upon a time, the end."] });
    await page.getByRole("button", { name: "Try again" }).click();
    await said(page, "Once upon a time, the end.").waitFor();
    await page.getByText("Stopped", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  });

  test("C3 a second question to a chat that answers is refused in words, and stays in the field", async () => {
    model.answer("slow one", { parts: ["It takes ", "a while."], holdAt: 1 });
    const page = await chatPage();
    await ask(page, "This is a slow one.");
    await said(page, "It takes").waitFor();
    await ask(page, "And another?");
    await page.getByText("Echo is still answering in this chat.").waitFor();
    expect(await page.getByRole("textbox", { name: "Your question" }).inputValue()).toBe("And another?");
    model.release("slow one");
    await said(page, "It takes a while.").waitFor();
  });

  test("C4 a question in another chat waits, and says for what", async () => {
    model.answer("holds the line", { parts: ["Please ", "hold."], holdAt: 1 });
    model.answer("comes second", { parts: ["Now it is my turn."] });
    const first = await chatPage();
    await ask(first, "Who holds the line?");
    await said(first, "Please").waitFor();
    const second = await chatPage();
    await ask(second, "Who comes second?");
    await second.getByText("Waiting for the reply in another chat to finish…").waitFor();
    model.release("holds the line");
    await said(second, "Now it is my turn.").waitFor();
    await said(first, "Please hold.").waitFor();
  });

  test("R11 an answer that a crash cut off is shown as interrupted, with Try again", async () => {
    model.answer("cut off", { parts: ["This much ", "and no more."], holdAt: 1 });
    const page = await chatPage();
    await ask(page, "What is cut off?");
    await said(page, "This much").waitFor();
    const id = await chatOf(page);
    await until(
      "the journal",
      () => items(id),
      (all) => all.length > 0,
    );
    await server.crash();
    await page.getByText("Echo was closed before this answer was finished.").waitFor();
    model.release("cut off");
    model.answer("cut off", { parts: ["All of it, this time."] });
    await page.getByRole("button", { name: "Try again" }).click();
    await said(page, "All of it, this time.").waitFor();
  });

  test("reading back up is never scrolled away from while the answer is written", async () => {
    const lines = Array.from({ length: 120 }, (_, index) => `Line ${index + 1} of a long answer.\n\n`);
    model.answer("long answer", { parts: [...lines.slice(0, 60), ...lines.slice(60)], holdAt: 60 });
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
    model.release("long answer");
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
