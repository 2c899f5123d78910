import { defineConfig } from "vitest/config";

// What draws or measures, and asserts nothing: named on the command line with its variable set (npm run perf, npm run screens).
const asked = [
  process.env.ECHO_PERF === undefined ? "perf.e2e.ts" : "",
  process.env.ECHO_SCREENS === undefined ? "screens.e2e.ts" : "",
];

// The real binary and a real browser: one file after the other, each bounded in time.
// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.e2e.ts"],
    exclude: asked.filter((file) => file !== ""),
    environment: "node",
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 90_000,
    teardownTimeout: 20_000,
    reporters: ["verbose"],
  },
});
