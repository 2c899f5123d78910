import { createContext, useCallback, useContext, useEffect, useSyncExternalStore } from "react";
import type { CaptureStatus, PlaybackStatus } from "../bridge/transport";
import type { EchoState } from "../state/store";
import type { Echo } from "./echo";

export const EchoContext = createContext<Echo | null>(null);

export function useEcho(): Echo {
  const echo = useContext(EchoContext);
  if (echo === null) throw new Error("useEcho outside of its context");
  return echo;
}

/** A part of the state; the view renders again when it has changed. The part must be one that is kept, not made anew. */
export function useEchoState<Part>(part: (state: EchoState) => Part): Part {
  const { store } = useEcho();
  return useSyncExternalStore(store.subscribe, () => part(store.get()));
}

interface Source<Status> {
  status(): Status;
  listen(listener: (status: Status) => void): () => void;
}

/** A part of what changes thirty times a second: renders again only when that part changes. */
function useStatus<Status, Part>(source: Source<Status>, part: (status: Status) => Part): Part {
  const subscribe = useCallback((changed: () => void) => source.listen(changed), [source]);
  return useSyncExternalStore(subscribe, () => part(source.status()));
}

export function useCapture<Part>(part: (status: CaptureStatus) => Part): Part {
  return useStatus(useEcho().transport.capture, part);
}

export function usePlayback<Part>(part: (status: PlaybackStatus) => Part): Part {
  return useStatus(useEcho().transport.speaker, part);
}

/** Starts Echo with the page, and tells it when the page is seen. A desktop window is told by its form instead. */
export function usePresence(echo: Echo): void {
  useEffect(() => {
    const stop = echo.start();
    const { shell } = echo.transport;
    if (shell !== null) return stop;
    const look = () => (document.visibilityState === "visible" ? echo.shown() : echo.hidden());
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      stop();
    };
  }, [echo]);
}
