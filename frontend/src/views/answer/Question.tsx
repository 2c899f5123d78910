import { Mic } from "lucide-react";
import type { ReactNode } from "react";
import styles from "./Exchange.module.css";

/** What was asked, as it was typed or heard. */
export function Question({ text, spoken }: { text: string; spoken: boolean }): ReactNode {
  return (
    <div className={styles.question} dir="auto">
      {spoken && <Mic size={13} role="img" aria-label="Spoken" className={styles.spoken} />}
      {text}
    </div>
  );
}
