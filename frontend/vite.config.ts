import { writeFileSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

// Go embeds frontend/dist, which git keeps by this empty file; emptying the folder for a build would delete it.
function keepFolder(): Plugin {
  return {
    name: "keep-dist",
    apply: "build",
    closeBundle() {
      writeFileSync(new URL("./dist/.gitkeep", import.meta.url), "");
    },
  };
}

const scenes = process.env.ECHO_SCENES !== undefined;
const api = process.env.ECHO_API ?? "http://127.0.0.1:3246";

// biome-ignore lint/style/noDefaultExport: Vite reads its configuration from the default export.
export default defineConfig({
  plugins: [react(), ...(scenes ? [] : [keepFolder()])],
  build: {
    // The scenes are built apart, to be looked at: they are no part of the app.
    ...(scenes ? { rollupOptions: { input: "fixtures.html" } } : {}),
    outDir: scenes ? "test-results/scenes" : "dist",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the page's policy allows no data: scripts or fonts
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
  worker: { format: "es" },
  server: {
    host: "127.0.0.1",
    proxy: { "/api": { target: api, ws: true }, "/healthz": api },
  },
});
