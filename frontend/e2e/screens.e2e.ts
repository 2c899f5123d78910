// Pictures of each page, light and dark, into the folder that ECHO_SCREENS names. Without it nothing is drawn.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, test } from "vitest";
import { said, startBrowser, visit } from "./browser";
import { type Server, startServer } from "./server";

const folder = process.env.ECHO_SCREENS ?? "";

const bread = `Bread rises because **yeast** eats sugars and breathes out carbon dioxide, and gluten holds the bubbles.

1. Mix 500 g flour, 330 g water, 10 g salt and 2 g dried yeast.
2. Leave it overnight in the fridge.
3. Shape it, let it rest for an hour, bake at 240 °C for 35 minutes.

| Flour | Water | Crumb | In the fridge |
|---|---|---|---|
| Strong white | 66 % | Soft, even | 12 h |
| Half wholemeal | 72 % | Denser, sweet | 16 h |

\`\`\`python
def scale(recipe: dict[str, float], loaves: int) -> dict[str, float]:
    """Grams of each ingredient for that many loaves."""
    return {name: round(grams * loaves) for name, grams in recipe.items()}
\`\`\``;

interface Said {
  role: string;
  text: string;
  source?: string;
  name?: string;
  arguments?: object;
}

let server: Server;
let browser: Browser;
let chat = "";

async function keep(title: string, kind: string, hoursAgo: number, messages: Said[]): Promise<string> {
  const at = new Date(Date.now() - hoursAgo * 3_600_000).toISOString();
  const items = messages.map((message, index) => ({
    number: index + 1,
    state: "complete",
    source: "typed",
    created_at: at,
    ...message,
  }));
  const body = { echo_chat: 1, title, kind, created_at: at, updated_at: at, summary: null, items };
  return (await server.api<{ id: string }>("POST", "/api/chat/import", body)).id;
}

describe("screens", () => {
  beforeAll(async () => {
    await mkdir(folder, { recursive: true });
    server = await startServer();
    const small: [string, string, number][] = [
      ["Packing list for Lisbon", "chat", 250],
      ["Names for a cat", "voice", 100],
      ["How do vaccines work?", "chat", 60],
      ["Rewrite the letter to the landlord", "chat", 26],
    ];
    for (const [title, kind, hours] of small) {
      await keep(title, kind, hours, [
        { role: "user", text: title, source: kind === "voice" ? "spoken" : "typed" },
        { role: "assistant", text: "Here is what I would do." },
      ]);
    }
    await keep("What is on my list for the weekend?", "voice", 0.2, [
      { role: "user", text: "What is on my list for the weekend?", source: "spoken" },
      { role: "assistant", text: "Two things: paint the fence, and call Ada.", source: "spoken" },
    ]);
    chat = await keep("How do I bake bread that rises?", "chat", 0.1, [
      { role: "user", text: "How do I bake bread that rises?" },
      { role: "assistant", text: bread },
      { role: "user", text: "How much salt for three loaves?" },
      { role: "tool", text: "30", name: "calculate", arguments: { expression: "10*3" } },
      { role: "assistant", text: "30 grams: ten for each loaf." },
    ]);
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  for (const scheme of ["light", "dark"] as const) {
    for (const { suffix, width } of [
      { suffix: "", width: 1280 },
      { suffix: "-narrow", width: 390 },
    ]) {
      test(`${scheme}${suffix}`, async () => {
        const { page, context } = await visit(browser, server, { scheme, width, path: "/voice" });
        const shot = (name: string) =>
          page.screenshot({ path: join(folder, `${name}${suffix}-${scheme}.png`), animations: "disabled" });
        const field = page.getByRole("textbox", { name: "Your question" });
        await field.fill("What is 15% of 80?");
        await field.press("Enter");
        await said(page, /\b12\b/).waitFor();
        await page.getByRole("button", { name: "Play answer" }).last().waitFor();
        await shot("voice");
        await page.goto(`${server.base}/chat/${chat}`, { waitUntil: "domcontentloaded" });
        await said(page, "30 grams: ten for each loaf.").waitFor();
        await page.getByRole("table").waitFor();
        await shot("chat");
        await page.goto(`${server.base}/chat`, { waitUntil: "domcontentloaded" });
        await page.getByRole("link", { name: /How do I bake bread/ }).waitFor();
        await shot("chats");
        await page.goto(`${server.base}/settings`, { waitUntil: "domcontentloaded" });
        await page.getByText("Calm, warm and clear.").waitFor();
        await page.getByText("Built-in skills").first().waitFor();
        await shot("settings");
        await server.api("PATCH", "/api/settings", { companion: { welcomed: false } });
        await page.goto(`${server.base}/voice`, { waitUntil: "domcontentloaded" });
        await page.getByText("Step 1 of 3").waitFor();
        await shot("first-start");
        await page.getByRole("button", { name: "Next" }).click();
        await page.getByText("Calm, warm and clear.").waitFor();
        await shot("first-start-voice");
        await server.api("PATCH", "/api/settings", { companion: { welcomed: true } });
        await server.api("POST", "/api/voice/conversation/end").catch(() => undefined);
        await context.close();
      });
    }
  }
});
