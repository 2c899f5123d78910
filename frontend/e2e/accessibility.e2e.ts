import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { said, startBrowser, visit } from "./browser";
import { type Server, startServer } from "./server";

interface Finding {
  id: string;
  impact: string | null;
  nodes: { html: string; failureSummary?: string }[];
}

let server: Server;
let browser: Browser;
let axe = "";

beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  server = await startServer();
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** What axe finds that keeps people out, in words. */
async function findings(page: Page): Promise<string[]> {
  // Colours that are still fading in are not what is read.
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    const found = await (window as unknown as { axe: { run(): Promise<{ violations: Finding[] }> } }).axe.run();
    return found.violations;
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
    );
}

describe.each(["light", "dark"] as const)("an accessibility scan, %s", (scheme) => {
  test("Chat and Voice have no serious finding", async () => {
    const { page, context } = await visit(browser, server, { scheme, path: "/chat" });
    const field = page.getByRole("textbox", { name: "Your question" });
    await field.fill("What is 15% of 80?");
    await field.press("Enter");
    await said(page, "Calculated").click();
    await said(page, /is 12\b/).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole("navigation", { name: "Echo" }).getByRole("link", { name: "Voice" }).click();
    await page.getByRole("button", { name: "Hold to talk" }).waitFor();
    expect(await findings(page)).toEqual([]);
    await context.close();
  });

  test("Settings has none either, at 320 pixels too", async () => {
    const { page, context } = await visit(browser, server, { scheme, path: "/settings" });
    await page.getByText("Calm, warm and clear.").waitFor();
    expect(await findings(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await page.goto(`${server.base}/chat/new`, { waitUntil: "domcontentloaded" });
    await page.getByRole("textbox", { name: "Your question" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await context.close();
  });
});
