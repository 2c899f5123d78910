import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { said, until } from "./browser";
import { setStage } from "./stage";

interface Row {
  id: string;
  title: string;
  replying: boolean;
}

const stage = setStage();

async function chatPage(path = "/chat"): Promise<Page> {
  return await stage.page({ path });
}

const rows = async () => (await stage.server.api<{ sessions: Row[] }>("GET", "/api/chat/sessions")).sessions;

describe("the list", () => {
  let id = "";
  beforeAll(async () => {
    const made = await stage.server.api<Row>("POST", "/api/chat/import", {
      echo_chat: 1,
      title: "Growing tomatoes",
      kind: "voice",
      created_at: new Date().toISOString(),
      updated_at: new Date().toISOString(),
      summary: null,
      items: [
        {
          number: 1,
          role: "user",
          text: "When do I plant tomatoes?",
          state: "complete",
          source: "spoken",
          created_at: new Date().toISOString(),
        },
        {
          number: 2,
          role: "assistant",
          text: "After the last frost, in the zucchini bed.",
          state: "complete",
          source: "spoken",
          created_at: new Date().toISOString(),
        },
      ],
    });
    id = made.id;
    await stage.server.api("POST", "/api/chat/sessions", { title: "What is the capital of France?" });
  });

  test("H1 marks a spoken chat, and a search finds its words", async () => {
    const page = await chatPage();
    await page.getByRole("link", { name: /Spoken\s*Growing tomatoes/ }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("zucchini");
    const hit = page.getByRole("link", { name: /Growing tomatoes.*zucchini bed/s });
    await hit.click();
    await said(page, "After the last frost, in the zucchini bed.").waitFor();
    expect(page.url()).toContain(id);
  });

  test("a chat is renamed in place", async () => {
    const page = await chatPage();
    await page.getByRole("link", { name: /Growing tomatoes/ }).waitFor();
    await page.getByRole("button", { name: "More for Growing tomatoes" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    const field = page.getByRole("textbox", { name: "Title" });
    await field.fill("Tomatoes and courgettes");
    await field.press("Enter");
    await page.getByRole("link", { name: /Tomatoes and courgettes/ }).waitFor();
    await until("the title", rows, (all) => all.some((row) => row.title === "Tomatoes and courgettes"));
  });

  test("H8 Continue with Echo waits for a click", async () => {
    const page = await chatPage(`/chat/${id}`);
    await page.getByRole("link", { name: "Continue with Echo" }).click();
    await page.getByRole("button", { name: /^Continue "/ }).waitFor();
    const state = await stage.server.api<{ active: boolean }>("GET", "/api/voice/conversation");
    expect(state.active).toBe(false);
    await page.getByRole("button", { name: /^Continue "/ }).click();
    await said(page, "After the last frost, in the zucchini bed.").waitFor();
  });

  test("a chat that is deleted can be undone, and is gone after ten seconds", async () => {
    const page = await chatPage();
    const link = page.getByRole("link", { name: /What is the capital of France/ });
    const remove = async () => {
      await page.getByRole("button", { name: "More for What is the capital of France?" }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      await link.waitFor({ state: "detached" });
    };
    await link.waitFor();
    await remove();
    await page.getByRole("button", { name: "Undo" }).click();
    await link.waitFor();
    expect((await rows()).some(({ title }) => title === "What is the capital of France?")).toBe(true);
    await remove();
    expect((await rows()).some(({ title }) => title === "What is the capital of France?")).toBe(true);
    await until("the deletion", rows, (all) => all.every(({ title }) => title !== "What is the capital of France?"));
    await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
  });

  test("a long chat is read back from the end without a jump", async () => {
    const many = Array.from({ length: 400 }, (_, index) => ({
      number: index + 1,
      role: index % 2 === 0 ? "user" : "assistant",
      text:
        index % 2 === 0
          ? `Question ${index / 2 + 1}`
          : `Answer ${(index + 1) / 2}. ${"More words. ".repeat(1 + (index % 9) * 4)}`,
      state: "complete",
      source: "typed",
      created_at: new Date().toISOString(),
    }));
    const long = await stage.server.api<Row>("POST", "/api/chat/import", {
      echo_chat: 1,
      title: "A long one",
      kind: "chat",
      created_at: new Date().toISOString(),
      updated_at: new Date().toISOString(),
      summary: null,
      items: many,
    });
    const page = await chatPage(`/chat/${long.id}`);
    await said(page, /^Answer 200\./).waitFor();
    const conversation = page.getByRole("region", { name: "Conversation" });
    const first = () =>
      conversation.evaluate((element) =>
        Math.min(
          ...[...element.querySelectorAll("[data-number]")].map((row) => Number(row.getAttribute("data-number"))),
        ),
      );
    await until(
      "the first message",
      async () => {
        await conversation.evaluate((element) => element.scrollBy(0, -1200));
        return first();
      },
      (number) => number === 1,
    );
    await page.getByText("Question 1", { exact: true }).waitFor();
    expect(await conversation.evaluate((element) => element.querySelectorAll("[data-number]").length)).toBeLessThan(
      120,
    );
    await page.getByRole("button", { name: "Newest" }).click();
    await said(page, /^Answer 200\./).waitFor();
  });
});
