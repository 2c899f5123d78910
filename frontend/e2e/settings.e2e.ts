import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser, until, visit } from "./browser";
import { type Server, startServer } from "./server";

interface Settings {
  look: string;
  workspace: string;
  theme: string;
  reasoning: { provider: string; base_url: string; api_key: string };
  voice: { save_conversations: boolean; mode: string };
  companion: { welcomed: boolean };
}

let server: Server;
let browser: Browser;

beforeAll(async () => {
  server = await startServer();
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const settings = () => server.api<Settings>("GET", "/api/settings");

test("each field is saved by itself, and what is refused says why beside it", async () => {
  const { page, context, errors } = await visit(browser, server, { path: "/settings" });
  await page.getByText("Fern", { exact: true }).click();
  await until("the look", settings, ({ look }) => look === "fern");
  await page.getByRole("switch", { name: "Save conversations" }).click();
  await until("the switch", settings, ({ voice }) => !voice.save_conversations);
  await page.getByRole("radio", { name: /^Hands-free/ }).check();
  await until("the mode", settings, ({ voice }) => voice.mode === "hands_free");
  await page.getByText("Dark", { exact: true }).click();
  await until("the theme", settings, ({ theme }) => theme === "dark");
  await until(
    "the page's colours",
    () => page.evaluate(() => document.documentElement.dataset.theme),
    (theme) => theme === "dark",
  );

  const answers = page.getByRole("region", { name: "Answers" });
  await answers.getByRole("radio", { name: /A server that speaks/ }).check();
  const address = answers.getByRole("textbox", { name: "Address" });
  await address.fill("nonsense");
  await address.press("Enter");
  await answers.getByText(/must be an address/).waitFor();
  expect(await address.inputValue()).toBe("nonsense");
  await address.fill("http://127.0.0.1:9/v1");
  await address.press("Enter");
  await until("the address", settings, ({ reasoning }) => reasoning.base_url === "http://127.0.0.1:9/v1");
  await answers.getByText(/must be an address/).waitFor({ state: "detached" });
  expect(errors).toEqual([]);
  await context.close();
});

test("a key is written and never read back", async () => {
  const { page, context } = await visit(browser, server, { path: "/settings" });
  const answers = page.getByRole("region", { name: "Answers" });
  const key = answers.getByLabel("API key");
  await key.fill("sk-secret");
  await key.press("Enter");
  await answers.getByRole("button", { name: "Remove" }).waitFor();
  expect((await settings()).reasoning.api_key).toBe("********");
  expect(await page.content()).not.toContain("sk-secret");
  await answers.getByRole("button", { name: "Remove" }).click();
  await until("the removal", settings, ({ reasoning }) => reasoning.api_key === "");
  await context.close();
});

test("R8 another workspace has its own chats", async () => {
  await server.api("PATCH", "/api/settings", { reasoning: { provider: "builtin" } });
  const { page, context } = await visit(browser, server, { path: "/chat" });
  const field = page.getByRole("textbox", { name: "Your question" });
  await field.fill("What is 6 times 7?");
  await field.press("Enter");
  await page.getByRole("link", { name: /What is 6 times 7/ }).waitFor();
  await page.getByRole("link", { name: "Settings" }).click();
  const name = page.getByRole("textbox", { name: "Name of the new workspace" });
  await name.fill("garden");
  await name.press("Enter");
  await page.getByRole("button", { name: "Switch to it" }).click();
  await until("the workspace", settings, ({ workspace }) => workspace === "garden");
  await page.getByRole("navigation", { name: "Echo" }).getByRole("link", { name: "Chat" }).click();
  await page.getByText("What you ask here, and what you say to Echo, is kept here.").waitFor();
  await context.close();
});

test("the first start is three steps that can be skipped, and ends in a conversation", async () => {
  await server.api("PATCH", "/api/settings", { companion: { welcomed: false } });
  const { page, context, errors } = await visit(browser, server, { path: "/" });
  await page.getByText("Step 1 of 3").waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("Step 2 of 3").waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("Step 3 of 3").waitFor();
  await page.getByRole("button", { name: "Start talking" }).click();
  await page.waitForURL(/\/voice$/);
  await page.getByRole("textbox", { name: "Your question" }).waitFor();
  await until("the welcome", settings, ({ companion }) => companion.welcomed);
  await page.reload({ waitUntil: "domcontentloaded" });
  await page.getByRole("textbox", { name: "Your question" }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});
