import type { ReactNode } from "react";
import styles from "./Exchange.module.css";

/** Echo is at it, and nothing is there to read yet. */
export function Dots(): ReactNode {
  return (
    <span className={styles.dots}>
      <span className="hidden-visually">Thinking</span>
      <span />
      <span />
      <span />
    </span>
  );
}
