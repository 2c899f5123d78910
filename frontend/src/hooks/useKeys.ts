import { useEffect } from "react";
import type { Echo } from "./echo";

function isField(target: EventTarget | null): target is HTMLInputElement | HTMLTextAreaElement {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}

/** Space is a button's, a menu's or a field's own, unless the field is the empty question field. */
function spaceIsFree(target: EventTarget | null): boolean {
  if (target instanceof HTMLElement && target.closest("[role=menu], [role=dialog]") !== null) return false;
  if (isField(target)) return target.dataset.question !== undefined && target.value === "";
  return !(target instanceof HTMLElement && target.closest("button, a, summary, [role=switch]") !== null);
}

function overlaid(): boolean {
  return document.querySelector("[role=menu], [role=dialog]") !== null;
}

/** Holds to talk with Space, stops with Ctrl+. and folds with Esc. */
export function useKeys(echo: Echo, onEscape?: () => void): void {
  useEffect(() => {
    let holding = false;
    const handsFreeMode = () => echo.store.get().settings?.voice.mode === "hands_free";
    const down = (event: KeyboardEvent) => {
      if (event.key === "." && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        echo.cancel();
        return;
      }
      if (event.key === "Escape" && onEscape !== undefined && !event.defaultPrevented && !overlaid()) {
        event.preventDefault();
        onEscape();
        return;
      }
      if (event.code !== "Space" || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
      if (holding) {
        event.preventDefault();
        return;
      }
      if (event.repeat || !spaceIsFree(event.target)) return;
      event.preventDefault();
      if (handsFreeMode()) {
        echo.toggleHandsFree();
        return;
      }
      holding = true;
      echo.press();
    };
    const release = () => {
      if (!holding) return;
      holding = false;
      echo.release();
    };
    const up = (event: KeyboardEvent) => {
      if (event.code === "Space") release();
    };
    window.addEventListener("keydown", down);
    window.addEventListener("keyup", up);
    window.addEventListener("blur", release);
    return () => {
      window.removeEventListener("keydown", down);
      window.removeEventListener("keyup", up);
      window.removeEventListener("blur", release);
    };
  }, [echo, onEscape]);
}
