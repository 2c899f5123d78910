import type { ReactNode } from "react";
import { useCapture, useEchoState } from "../../hooks/useEcho";
import { savedWords, statusWords } from "../../state/derive";
import styles from "./StatusLine.module.css";
import { useMood } from "./useMood";

/** What Echo is doing, and whether it is kept. */
export function StatusLine(): ReactNode {
  const mood = useMood();
  const link = useEchoState((state) => state.link);
  const muted = useCapture((status) => status.muted && status.state !== "closed");
  const active = useEchoState((state) => state.talk.active);
  const saved = useEchoState((state) => savedWords(state.talk));
  return (
    <p className={styles.line}>
      <span className={styles.state} data-mood={mood}>
        {muted && mood === "idle" ? "Muted" : statusWords(mood, link)}
      </span>
      {active && (
        <>
          <span aria-hidden> · </span>
          <span>{saved}</span>
        </>
      )}
    </p>
  );
}
