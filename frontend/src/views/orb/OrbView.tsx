import { type ReactNode, useEffect, useState } from "react";
import type { OrbStatus } from "../../bridge/transport";
import { Orb, type OrbMood } from "../../ui/Orb";
import styles from "./OrbView.module.css";

export interface OrbViewProps {
  status: OrbStatus;
  /** Unfolds; with the menu open after a right click. */
  onUnfold: (menu: boolean) => void;
}

function moodOf(state: OrbStatus["state"]): OrbMood {
  switch (state) {
    case "thinking":
      return "thinking";
    case "trouble":
      return "trouble";
    case "idle":
    case "waiting":
      return "idle";
  }
}

export function orbWords({ state, wake, problem }: OrbStatus): string {
  const hears = wake ? ", listening for “Hey Echo”" : "";
  switch (state) {
    case "thinking":
      return `Echo is thinking${hears}. Open Echo`;
    case "waiting":
      return `An answer waits${hears}. Open Echo`;
    case "trouble":
      return problem === "" ? "Echo has trouble. Open Echo" : problem;
    case "idle":
      return `Echo${hears}. Open Echo`;
  }
}

function markOf(state: OrbStatus["state"]): "answer" | "trouble" | null {
  if (state === "waiting") return "answer";
  return state === "trouble" ? "trouble" : null;
}

/** Folded, Echo is this: it neither listens to questions nor speaks, and shows neither. */
export function OrbView({ status, onUnfold }: OrbViewProps): ReactNode {
  const size = useOrbSize();
  const words = orbWords(status);
  return (
    <div className={styles.frame}>
      <button
        type="button"
        className={styles.orb}
        aria-label={words}
        title={words}
        onClick={() => onUnfold(false)}
        onContextMenu={(event) => {
          event.preventDefault();
          onUnfold(true);
        }}
      >
        <Orb
          size={status.wake ? size - ringPx : size}
          mood={moodOf(status.state)}
          mark={markOf(status.state)}
          wake={status.wake}
        />
      </button>
    </div>
  );
}

const largest = 72;
const shadowPx = 10;
/** What the ring of the wake listener takes of its size. */
const ringPx = 8;

function measure(): number {
  return Math.max(40, Math.min(largest, Math.min(window.innerWidth, window.innerHeight) - shadowPx));
}

/** The orb fills its small window, but for the room that its shadow takes. */
function useOrbSize(): number {
  const [size, setSize] = useState(measure);
  useEffect(() => {
    const change = () => setSize(measure());
    change();
    window.addEventListener("resize", change);
    return () => window.removeEventListener("resize", change);
  }, []);
  return size;
}
