// Debian's Chromium, signed in, with nothing of it allowed to reach beyond this machine.

import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import type { Server } from "./server";

const waitMs = 40_000;

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Errors of the page itself; a test ends with none. */
  errors: string[];
  /** Requests to anywhere but Echo. */
  outside: string[];
}

export async function startBrowser(extra: string[] = []): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  if (!existsSync(executablePath)) throw new Error(`${executablePath} is not there: install Debian's package chromium`);
  return chromium.launch({
    executablePath,
    timeout: 60_000,
    args: [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      ...extra,
    ],
  });
}

export interface VisitOptions {
  path?: string;
  signedIn?: boolean;
  scheme?: "light" | "dark";
  width?: number;
  height?: number;
}

/** A browser of its own that opens Echo. */
export async function visit(browser: Browser, server: Server, options: VisitOptions = {}): Promise<Visit> {
  const { path = "/voice", signedIn = true, scheme = "light", width = 1280, height = 800 } = options;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, acceptDownloads: true });
  context.setDefaultTimeout(waitMs);
  const page = await context.newPage();
  const errors: string[] = [];
  const outside: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("request", (request) => {
    const url = request.url();
    if (
      !url.startsWith(server.base) &&
      /^(https?|wss?):/.test(url) &&
      !url.startsWith(server.base.replace("http", "ws"))
    ) {
      outside.push(url);
    }
  });
  if (signedIn) {
    await page.goto(server.door, { waitUntil: "commit" });
    await page.waitForURL((url) => !url.search.includes("token"));
  }
  await page.goto(server.base + path, { waitUntil: "domcontentloaded" });
  return { page, context, errors, outside };
}

/** Waits until it is so; says what it was last where it is not. */
export async function until<T>(what: string, ask: () => Promise<T> | T, good: (value: T) => boolean): Promise<T> {
  const end = Date.now() + waitMs;
  let last: T | undefined;
  while (Date.now() < end) {
    last = await ask();
    if (good(last)) return last;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`${what}: not within ${waitMs} ms; last seen: ${JSON.stringify(last)?.slice(0, 600)}`);
}

/** What stands in the conversation, told from what screen readers hear of it and from the list. */
export function said(page: Page, words: string | RegExp): Locator {
  return page.getByRole("region", { name: "Conversation" }).getByText(words).first();
}
