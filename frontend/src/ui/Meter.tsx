import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import styles from "./Meter.module.css";

/** Sets `--level` on an element from a source that changes thirty times a second, past React. */
export function useLevel(subscribe: (listener: (level: number) => void) => () => void): RefObject<HTMLElement | null> {
  const ref = useRef<HTMLElement | null>(null);
  useEffect(() => {
    let shown = -1;
    return subscribe((level) => {
      const rounded = Math.round(level * 100) / 100;
      if (rounded === shown) return;
      shown = rounded;
      ref.current?.style.setProperty("--level", String(rounded));
    });
  }, [subscribe]);
  return ref;
}

export interface MeterProps {
  label: string;
  subscribe: (listener: (level: number) => void) => () => void;
}

/** A level as a bar, for microphone and speaker tests. */
export function Meter({ label, subscribe }: MeterProps): ReactNode {
  const ref = useLevel(subscribe);
  return (
    <div ref={ref as RefObject<HTMLDivElement | null>} className={styles.meter} role="img" aria-label={label}>
      <div className={styles.fill} />
    </div>
  );
}
