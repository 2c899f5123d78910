import { defineConfig } from "vitest/config";

// The real binary and a real browser: one file after the other, each bounded in time.
// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.e2e.ts"],
    environment: "node",
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 90_000,
    teardownTimeout: 20_000,
    reporters: ["verbose"],
  },
});
