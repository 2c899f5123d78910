import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "@fontsource-variable/onest";
import "@fontsource-variable/jetbrains-mono";
import "./ui/base.css";
import { openMicrophone } from "./bridge/audio/microphone";
import { createAudioOut } from "./bridge/audio/out";
import { createHttp } from "./bridge/http";
import { openSocket } from "./bridge/socket";
import type { Transport } from "./bridge/transport";
import { createWailsTransport, wailsHost } from "./bridge/wails";
import { createWsTransport } from "./bridge/ws";
import { createEcho } from "./hooks/echo";
import { preloadAnswers } from "./views/answer/Answer";
import { Root } from "./views/Root";

function transportOfPage(): Transport {
  const host = wailsHost(window);
  if (host !== null) return createWailsTransport(host);
  return createWsTransport({
    http: createHttp((input, init) => fetch(input, init)),
    socket: openSocket,
    out: createAudioOut(),
    microphone: openMicrophone,
    // The settings name the desktop's devices; a browser has names of its own, and asks its user.
    preferences: () => ({ device: "", pauseMs: echo.store.get().settings?.voice.patience_ms ?? 0 }),
  });
}

const echo = createEcho(transportOfPage(), {
  now: () => new Date().toISOString(),
  soon: (run) => {
    requestAnimationFrame(run);
  },
});

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <Root echo={echo} />
    </StrictMode>,
  );
  preloadAnswers();
}
