import { expect, test } from "vitest";
import { said, visit } from "./browser";
import { setStage } from "./stage";

const stage = setStage();

test("a page without its token explains how to get in", async () => {
  const { page, context } = await visit(stage.browser, stage.server, { path: "/", signedIn: false });
  await page.getByText("Open dashboard").first().waitFor();
  await page.getByText("echo-companion open").first().waitFor();
  expect((await page.request.get(`${stage.server.base}/api/settings`)).status()).toBe(401);
  await context.close();
});

test("the token signs in once and leaves the address", async () => {
  const { page, context } = await visit(stage.browser, stage.server);
  await page.getByRole("navigation", { name: "Echo" }).waitFor();
  expect(page.url()).not.toContain(stage.server.token);
  expect(await page.evaluate(() => document.cookie)).toBe("");
  await context.close();
});

const attacks = [
  "<script>window.ran = 1</script>",
  '<img src=x onerror="window.ran = 2">',
  '<img src="http://198.51.100.7/pixel.png">',
  "![pixel](http://198.51.100.7/p.png)",
  "[click](javascript:window.ran=3)",
  '<a href="javascript:window.ran=4">here</a>',
  '<svg onload="window.ran = 5"></svg>',
  '<iframe srcdoc="<script>parent.ran = 6</script>"></iframe>',
  "<style>@import url(http://198.51.100.7/s.css); body { display: none }</style>",
  '<form action="http://198.51.100.7/"><button>Send</button></form>',
  '<math><mtext><table><mglyph><style><img src=x onerror="window.ran = 7">',
  "```html\n<script>window.ran = 8</script>\n```",
  '<details open ontoggle="window.ran = 9">',
  '<link rel="stylesheet" href="http://198.51.100.7/l.css">',
];

test("B3 what a model, a title or a search says never runs and never fetches", async () => {
  stage.model.answer("onerror", { parts: [...attacks.map((attack) => `${attack}\n\n`), "The end."] });
  const { page, context, errors, outside } = await visit(stage.browser, stage.server, { path: "/chat" });
  const field = page.getByRole("textbox", { name: "Your question" });
  await field.fill('<img src=x onerror="window.ran = 10"> <script>window.ran = 11</script>');
  await field.press("Enter");
  await said(page, "The end.").waitFor();
  await page.getByRole("region", { name: "Conversation" }).locator("pre").first().waitFor(); // as Markdown, not as plain text
  await page
    .getByRole("link", { name: /onerror/ })
    .first()
    .waitFor();
  await page.getByRole("searchbox", { name: "Search chats" }).fill("onerror");
  await page
    .getByText(/message/)
    .first()
    .waitFor();
  expect(await page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBeUndefined();
  expect(await page.locator("main script, main iframe, main form, main style, main svg[onload]").count()).toBe(0);
  expect(await page.locator("main a[href^='javascript']").count()).toBe(0);
  expect(outside).toEqual([]);
  expect(errors).toEqual([]);
  await context.close();
});

test("the page's policy allows its own scripts alone", async () => {
  const response = await stage.server.raw("GET", "/");
  const policy = response.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toContain("unsafe-inline");
});
