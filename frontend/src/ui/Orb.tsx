import { type AnimationEvent, type CSSProperties, type ReactNode, type RefObject, useCallback } from "react";
import { classes } from "./classes";
import { useLevel } from "./Meter";
import styles from "./Orb.module.css";

export type OrbMood = "idle" | "listening" | "thinking" | "speaking" | "asking" | "trouble";

export interface OrbProps {
  size: number;
  mood: OrbMood;
  /** What its ring follows: the microphone while it listens, Echo's own voice while it speaks. */
  level?: (listener: (level: number) => void) => () => void;
  muted?: boolean;
  ducked?: boolean;
  /** An answer waits to be heard. */
  mark?: "answer" | "trouble" | null;
  /** The wake listener is on. */
  wake?: boolean;
  /** Another accent than the page's, for a swatch. */
  className?: string;
}

const noLevel = () => () => undefined;

/** Marks a motion whose round is over: at rest it stops there. */
function roundOver({ target }: AnimationEvent<HTMLElement>): void {
  if (document.documentElement.dataset.rest === "true") (target as HTMLElement).dataset.round = "over";
}

function roundBegins({ target }: AnimationEvent<HTMLElement>): void {
  delete (target as HTMLElement).dataset.round;
}

/** Echo's face. Its state shows in shape and motion, not in colour alone; the words beside it say the same. */
export function Orb({ size, mood, level, muted, ducked, mark, wake, className }: OrbProps): ReactNode {
  const subscribe = useCallback((listener: (level: number) => void) => (level ?? noLevel)(listener), [level]);
  const ref = useLevel(subscribe);
  return (
    <span
      ref={ref as RefObject<HTMLSpanElement | null>}
      className={classes(styles.orb, className)}
      data-mood={mood}
      data-muted={muted === true}
      data-ducked={ducked === true}
      data-wake={wake === true}
      style={{ "--size": `${size}px` } as CSSProperties}
      onAnimationStart={roundBegins}
      onAnimationIteration={roundOver}
      aria-hidden
    >
      <span className={styles.halo} />
      <span className={styles.ring} />
      <span className={styles.body}>
        <span className={styles.tide} />
        <span className={styles.drift} />
        <span className={styles.glow} />
        <span className={styles.shine} />
      </span>
      {muted === true && <span className={styles.bar} />}
      {mark !== null && mark !== undefined && <span className={styles.mark} data-mark={mark} />}
    </span>
  );
}
