import type { ReactNode } from "react";
import styles from "./Section.module.css";

export interface SectionProps {
  id: string;
  title: string;
  words?: ReactNode;
  children: ReactNode;
}

/** Settings that belong together. */
export function Section({ id, title, words, children }: SectionProps): ReactNode {
  return (
    <section id={id} className={styles.section} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {words !== undefined && <p className={styles.lead}>{words}</p>}
      <div className={styles.body}>{children}</div>
    </section>
  );
}
