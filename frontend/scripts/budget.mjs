// What the first paint of a page loads, gzipped: the build fails above the budget.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const budget = 250_000;
const dist = new URL("../dist/", import.meta.url);
const html = readFileSync(new URL("index.html", dist), "utf8");
const names = [...html.matchAll(/(?:src|href)="\/?(assets\/[^"]+\.(?:js|css))"/g)].map((match) => match[1] ?? "");
const pages = firstPages(names);

/** The entry alone, and with what each page adds at once: the files that the entry imports by name. */
function firstPages(entry) {
  const code = entry.filter((name) => name.endsWith(".js")).map((name) => readFileSync(new URL(name, dist), "utf8"));
  const found = new Map();
  for (const text of code) {
    for (const [name] of text.matchAll(
      /assets\/(?:ChatPage|SettingsPage|FirstRun|Markdown|Menu|Button|SoundTests)-[\w-]+\.(?:js|css)/g,
    )) {
      found.set(name, true);
    }
  }
  return { entry, "every page, with answers": [...new Set([...entry, ...found.keys()])] };
}

let over = false;
for (const [page, files] of Object.entries(pages)) {
  const bytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, dist))).length, 0);
  console.log(
    `${page}: ${(bytes / 1000).toFixed(1)} kB gzipped in ${files.length} files (at most ${budget / 1000} kB)`,
  );
  over ||= bytes > budget || files.length === 0;
}
if (over) process.exitCode = 1;
