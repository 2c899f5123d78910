import { lazy, type ReactNode, Suspense, useRef } from "react";
import { Guard } from "../Guard";
import styles from "./Answer.module.css";
import { useSpoken } from "./useSpoken";

const Markdown = lazy(() => import("./Markdown").then((module) => ({ default: module.Markdown })));

/** Fetches what renders Markdown before the first answer needs it. */
export function preloadAnswers(): void {
  void import("./Markdown");
}

export interface AnswerProps {
  text: string;
  /** The spoken forms of its sentences, and which of them is heard now. */
  sentences?: Record<number, string>;
  spoken?: number;
}

/** An answer's text. Until its renderer is there, and whatever becomes of that, the plain text is. */
export function Answer({ text, sentences, spoken = -1 }: AnswerProps): ReactNode {
  const ref = useRef<HTMLDivElement | null>(null);
  useSpoken(ref, sentences, spoken);
  const plain = <div className={styles.plain}>{text}</div>;
  return (
    <div ref={ref} className={styles.answer}>
      <Guard what="This answer" value={text} instead={plain}>
        <Suspense fallback={plain}>
          <Markdown text={text} />
        </Suspense>
      </Guard>
    </div>
  );
}
