// How smooth the Chat page is: frames that are painted while text streams and while a long chat scrolls, against the frames of the
// same page at rest. `npm run perf` prints the rows of docs/benchmarks.md; without ECHO_PERF nothing is measured.

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { said, visit } from "./browser";
import { setStage } from "./stage";

const stage = setStage();

interface Frames {
  /** A second. */
  rate: number;
  /** The share of frames that took longer than two of 60 a second. */
  late: number;
}

/** Counts the page's frames for so long; with `scroll`, the conversation moves by so many pixels in each. */
function frames(page: Page, ms: number, scroll = 0): Promise<Frames> {
  return page.evaluate(
    ([ms, scroll]) =>
      new Promise<Frames>((resolve) => {
        const view = document.querySelector('section[aria-label="Conversation"]');
        const times: number[] = [];
        const next = (now: number) => {
          times.push(now);
          if (scroll !== 0) view?.scrollBy(0, scroll);
          const [first = now] = times;
          if (now - first < ms) {
            requestAnimationFrame(next);
            return;
          }
          const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time));
          resolve({
            rate: (gaps.length * 1000) / (now - first),
            late: gaps.filter((gap) => gap > 34).length / gaps.length,
          });
        };
        requestAnimationFrame(next);
      }),
    [ms, scroll] as const,
  );
}

function row(what: string, { rate, late }: Frames, rest: Frames): void {
  const of = (rate / rest.rate).toFixed(2);
  console.log(
    `| ${what} | ${of} of the page at rest | ${(late * 100).toFixed(1)} % late (at rest ${(rest.late * 100).toFixed(1)} %) |`,
  );
}

const words = "The sea is wide and the wind carries what it finds along the coast ".split(" ");

describe("frames", () => {
  test("an answer streams at 200 tokens a second", async () => {
    const parts = Array.from({ length: 3000 }, (_, index) =>
      index % 60 === 59
        ? ".\n\n"
        : index % 400 === 200
          ? "\n\n```go\nx := 1\n```\n\n"
          : `${words[index % words.length]} `,
    );
    stage.model.answer("coast", { parts, rate: 200 });
    const { page, context } = await visit(stage.browser, stage.server, { path: "/chat" });
    const field = page.getByRole("textbox", { name: "Your question" });
    await field.waitFor();
    const rest = await frames(page, 3000);
    await field.fill("Tell me of the coast.");
    await field.press("Enter");
    await said(page, /The sea is wide/).waitFor();
    row("Chat, an answer at 200 tokens a second, first 3 s", await frames(page, 3000), rest);
    await page.waitForTimeout(5000);
    row("the same, 2,000 tokens later", await frames(page, 3000), rest);
    expect(await said(page, /wind/).count()).toBeGreaterThan(0);
    await context.close();
  });

  test("a chat of 5,000 messages scrolls", async () => {
    const items = Array.from({ length: 5000 }, (_, index) => ({
      number: index + 1,
      role: index % 2 === 0 ? "user" : "assistant",
      text:
        index % 2 === 0
          ? `Question ${index / 2 + 1}`
          : `Answer **${(index + 1) / 2}**. ${"More words. ".repeat(index % 9)}`,
      state: "complete",
      source: "typed",
      created_at: new Date().toISOString(),
    }));
    const at = new Date().toISOString();
    const body = { echo_chat: 1, title: "Long", kind: "chat", created_at: at, updated_at: at, summary: null, items };
    const { id } = await stage.server.api<{ id: string }>("POST", "/api/chat/import", body);
    const { page, context } = await visit(stage.browser, stage.server, { path: `/chat/${id}` });
    await said(page, /^Answer/).waitFor();
    const rest = await frames(page, 3000);
    row("Chat, 5,000 messages, read back at 60 px a frame", await frames(page, 5000, -60), rest);
    row("and forth", await frames(page, 3000, 60), rest);
    await context.close();
  });
});
