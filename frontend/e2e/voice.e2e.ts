import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { said, startBrowser, until, visit } from "./browser";
import { type Model, startModel } from "./model";
import { type Server, startServer } from "./server";
import { question } from "./sound";

interface State {
  active: boolean;
  chat?: { id: string } | null;
  held: boolean;
  turns: {
    question: string;
    status: string;
    answer: string;
    source: string;
    tools: { name: string; result: string }[];
  }[];
}

let server: Server;
let browser: Browser;
let model: Model;
let folder = "";

/** A synthesised voice that asks, made by the same server. It warms the voice up as well. */
async function record(path: string): Promise<void> {
  const made = await server.raw("POST", "/api/speech/preview", { voice: "alan", text: "What is twelve times seven?" });
  if (!made.ok) throw new Error(`the voice could not be made (are the speech models there?): ${await made.text()}`);
  await writeFile(path, question(Buffer.from(await made.arrayBuffer()), 1.5, 4));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "echo-e2e-sound-"));
  model = await startModel();
  server = await startServer({ reasoning: { provider: "builtin" }, voice: { mode: "hands_free" } });
  const wav = join(folder, "question.wav");
  await record(wav);
  // No autoplay flag: sound has to work as it does for everybody.
  browser = await startBrowser([
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
    `--use-file-for-fake-audio-capture=${wav}%noloop`,
  ]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await model?.stop();
  await rm(folder, { recursive: true, force: true });
});

const conversation = () => server.api<State>("GET", "/api/voice/conversation");
const released = () => until("the window's leaving", conversation, ({ held }) => !held);

async function ask(page: Page, words: string): Promise<void> {
  const field = page.getByRole("textbox", { name: "Your question" });
  await field.fill(words);
  await field.press("Enter");
}

describe("the Voice page", () => {
  test("B1 a typed question is answered, and its tool call is shown", async () => {
    const { page, context, errors } = await visit(browser, server);
    await ask(page, "What is 15% of 80?");
    await said(page, "Calculated").waitFor();
    await said(page, /\b12\b/).waitFor();
    await said(page, "Calculated").click();
    await said(page, /15\s*\/\s*100/).waitFor();
    expect(errors).toEqual([]);
    await context.close();
    await released();
  });

  test("B1 R7 a question asked aloud is heard, answered and saved; the microphone opens by a click alone", async () => {
    const { page, context, errors } = await visit(browser, server);
    const start = page.getByRole("button", { name: "Start listening" });
    await start.waitFor();
    await page.getByRole("button", { name: /^Continue conversation/ }).click();
    await until("the attachment", conversation, ({ held }) => held);
    expect(await page.getByRole("button", { name: "Stop listening" }).count()).toBe(0);
    await start.click();
    await said(page, /(twelve|12) times (seven|7)/i).waitFor();
    await said(page, /\b84\b/).waitFor();
    const state = await until("the answer", conversation, ({ turns }) => turns.at(-1)?.status === "answered");
    expect(state.turns.at(-1)).toMatchObject({ source: "spoken", tools: [{ name: "calculate", result: "84" }] });
    await page.getByRole("button", { name: "Stop listening" }).click();
    await start.waitFor();
    const { sessions } = await server.api<{ sessions: { kind: string; messages: number }[] }>(
      "GET",
      "/api/chat/sessions",
    );
    expect(sessions[0]).toMatchObject({ kind: "voice", messages: 6 });
    expect(errors).toEqual([]);
    await context.close();
    await released();
  });
});

describe("the Settings page", () => {
  test("the microphone test shows a level, and closes the microphone again", async () => {
    const { page, context } = await visit(browser, server, { path: "/settings" });
    await page.getByRole("button", { name: "Test the microphone" }).click();
    await page.getByRole("img", { name: "Microphone level" }).waitFor();
    await page.getByText(/It hears you|It heard you/).waitFor();
    await page.getByRole("button", { name: "Stop the test" }).click();
    await page.getByRole("button", { name: "Test the microphone" }).waitFor();
    await context.close();
  });
});

describe("coming back", () => {
  beforeAll(async () => {
    await server.api("PATCH", "/api/settings", model.settings);
  });

  test("R6 a reload in the middle of a reply shows it at once, and whole", async () => {
    model.answer("the tide", { parts: ["The moon ", "pulls ", "the sea."], holdAt: 1 });
    const { page, context, errors } = await visit(browser, server);
    await ask(page, "Why is there the tide?");
    await said(page, "The moon").waitFor();
    await page.reload({ waitUntil: "domcontentloaded" });
    await said(page, "The moon").waitFor();
    model.release("the tide");
    await said(page, "The moon pulls the sea.").waitFor();
    expect(model.asked("the tide")).toBe(1);
    expect(errors).toEqual([]);
    await context.close();
    await released();
  });

  test("R6 an answer that was finished meanwhile is marked, shown without connecting, and can be played", async () => {
    model.answer("the wind", { parts: ["Warm air ", "rises."], holdAt: 1 });
    const left = await visit(browser, server);
    await ask(left.page, "Why is there the wind?");
    await said(left.page, "Warm air").waitFor();
    await left.context.close();
    await released();
    model.release("the wind");
    await until("the answer", conversation, ({ turns }) => turns.at(-1)?.status === "answered");
    const { page, context } = await visit(browser, server);
    await said(page, "Answered while Echo was away").waitFor();
    await said(page, "Warm air rises.").waitFor();
    await page.getByRole("button", { name: "Play answer" }).last().waitFor();
    expect((await conversation()).held).toBe(false);
    await context.close();
  });

  test("a chat in which a voice reply runs shows it, and refuses a typed question in words", async () => {
    model.answer("the rain", { parts: ["Clouds ", "let it fall."], holdAt: 1 });
    const { page, context } = await visit(browser, server);
    await ask(page, "Why is there the rain?");
    await said(page, "Clouds").waitFor();
    const { chat } = await until("the chat", conversation, (state) => (state.chat ?? null) !== null);
    const reading = await visit(browser, server, { path: `/chat/${chat?.id}` });
    await reading.page.getByRole("img", { name: "Still answering" }).waitFor();
    await said(reading.page, "Why is there the rain?").waitFor();
    await said(reading.page, "Echo is answering aloud…").waitFor();
    await ask(reading.page, "And the snow?");
    await reading.page
      .getByRole("status")
      .getByText(/answering|reply/i)
      .first()
      .waitFor();
    const field = reading.page.getByRole("textbox", { name: "Your question" });
    await until(
      "the text in the field",
      () => field.inputValue(),
      (value) => value === "And the snow?",
    );
    model.release("the rain");
    await said(reading.page, "Clouds let it fall.").waitFor();
    await reading.page.getByRole("img", { name: "Still answering" }).waitFor({ state: "detached" });
    expect(reading.errors).toEqual([]);
    await reading.context.close();
    await context.close();
    await released();
  });

  test("S1 Stop reply stops it and keeps what was written", async () => {
    model.answer("the stars", { parts: ["They burn ", "for long."], holdAt: 1 });
    const { page, context } = await visit(browser, server);
    await ask(page, "Why do the stars shine?");
    await said(page, "They burn").waitFor();
    await page.keyboard.press("Control+.");
    await said(page, "Stopped").waitFor();
    const { turns } = await conversation();
    expect(turns.at(-1)).toMatchObject({ status: "stopped" });
    await context.close();
    await released();
  });
});
