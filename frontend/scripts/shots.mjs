// Screenshots of the scenes, for looking at: npm run shots [scene | window-SCENE | page-SCENE | orb]...
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";
import { preview } from "vite";

process.env.ECHO_SCENES = "1";
spawnSync("npx", ["vite", "build", "--logLevel", "warn"], { stdio: "inherit" });
const server = await preview({ logLevel: "warn", preview: { host: "127.0.0.1", port: 5199 } });
const base = "http://127.0.0.1:5199";
const out = process.env.SHOTS_OUT ?? "test-results/shots";
const only = process.argv.slice(2);
const scenes = [
  "empty",
  "listening",
  "thinking",
  "speaking",
  "waiting",
  "asking",
  "failed",
  "away",
  "continued",
  "held",
  "ended",
  "handsfree",
];
const views = [
  { name: "window", query: "form=panel&", width: 380, height: 600 },
  { name: "page", query: "", width: 1280, height: 800 },
];
const orbs = ["orb=idle", "orb=thinking", "orb=waiting", "orb=trouble", "orb=idle&wake=1", "orb=idle&square=1"];

mkdirSync(out, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});
for (const colorScheme of ["light", "dark"]) {
  const context = await browser.newContext({ colorScheme, deviceScaleFactor: Number(process.env.SHOTS_SCALE ?? 1) });
  const page = await context.newPage();
  page.on("pageerror", (error) => console.error(`page error: ${error.message}`));
  for (const view of views) {
    for (const scene of scenes) {
      if (only.length > 0 && !only.includes(scene) && !only.includes(`${view.name}-${scene}`)) continue;
      await page.setViewportSize({ width: view.width, height: view.height });
      await page.goto(`${base}/fixtures.html?${view.query}scene=${scene}`);
      await page.waitForTimeout(900);
      await page.screenshot({ path: `${out}/${view.name}-${scene}-${colorScheme}.png` });
    }
  }
  if (only.length > 0 && !only.includes("orb")) continue;
  for (const orb of orbs) {
    await page.setViewportSize({ width: 84, height: 84 });
    await page.goto(`${base}/fixtures.html?form=orb&${orb}`);
    await page.waitForTimeout(900);
    await page.screenshot({ path: `${out}/orb-${orb.replace(/\W/g, "-")}-${colorScheme}.png`, omitBackground: true });
  }
}
await browser.close();
await server.close();
