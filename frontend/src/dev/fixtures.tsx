// A page for looking at the views: /fixtures.html?scene=NAME&form=panel|orb, served by `npm run dev` alone.

import { createRoot } from "react-dom/client";
import "@fontsource-variable/onest";
import "@fontsource-variable/jetbrains-mono";
import "../ui/base.css";
import type { OrbStatus, WindowForm } from "../bridge/transport";
import { createEcho } from "../hooks/echo";
import { preloadAnswers } from "../views/answer/Answer";
import { Root } from "../views/Root";
import { createFakeTransport } from "./fake";
import { scenes } from "./scenes";

const query = new URLSearchParams(window.location.search);
const scene = scenes[query.get("scene") ?? "empty"] ?? {};
const form = query.get("form") as WindowForm | null;

preloadAnswers();
const fake = createFakeTransport({ ...scene.config, form: form ?? undefined });
const echo = createEcho(fake, {
  now: () => "2026-01-01T10:00:00Z",
  soon: (run) => {
    setTimeout(run, 0);
  },
});
const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<Root echo={echo} />);
function play(): void {
  scene.play?.(fake, echo);
  const state = query.get("orb") as OrbStatus["state"] | null;
  if (state === null) return;
  const problem = state === "trouble" ? "The microphone was unplugged." : "";
  fake.orb({ state, wake: query.has("wake"), problem, compositor: !query.has("square") });
}

/** A scene begins when the window has looked at what there is; an orb, when it is there. */
function whenReady(): void {
  const { name } = echo.store.get().link;
  if (form !== "orb" && (name === "hidden" || name === "looking")) setTimeout(whenReady, 20);
  else setTimeout(play, 100);
}
whenReady();
