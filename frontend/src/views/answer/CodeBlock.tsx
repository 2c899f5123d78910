import { isValidElement, type ReactNode, useRef } from "react";
import styles from "./CodeBlock.module.css";
import { CopyButton } from "./CopyButton";

function languageOf(children: ReactNode): string {
  if (!isValidElement<{ className?: string }>(children)) return "";
  return /language-([\w+#-]+)/.exec(children.props.className ?? "")?.[1] ?? "";
}

export function CodeBlock({ children }: { children?: ReactNode }): ReactNode {
  const ref = useRef<HTMLPreElement | null>(null);
  return (
    <figure className={styles.block}>
      <figcaption className={styles.head}>
        <span>{languageOf(children)}</span>
        <CopyButton label="Copy code" text={() => ref.current?.textContent ?? ""} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: code that scrolls must be reachable by keyboard. */}
      <pre ref={ref} tabIndex={0} className={styles.code}>
        {children}
      </pre>
    </figure>
  );
}
