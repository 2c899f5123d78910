import { useEffect } from "react";
import type { Echo } from "./echo";

/** Motion goes on for so long after something has happened. */
export const restMs = 10_000;

const acts = ["pointermove", "pointerdown", "keydown", "wheel", "focus"] as const;

/** Marks the page as at rest while nothing happens: the orb is still then, and costs nothing. */
export function useRest(echo: Echo): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    let last = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      const left = last + restMs - Date.now();
      timer = left > 0 ? setTimeout(look, left) : undefined;
      if (timer === undefined) dataset.rest = "true";
    };
    const wake = () => {
      last = Date.now();
      if (timer !== undefined) return;
      delete dataset.rest;
      timer = setTimeout(look, restMs);
    };
    wake();
    const stops = [echo.store.subscribe(wake), echo.transport.shell?.listenOrb(wake)];
    for (const act of acts) window.addEventListener(act, wake, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const stop of stops) stop?.();
      for (const act of acts) window.removeEventListener(act, wake);
    };
  }, [echo]);
}
