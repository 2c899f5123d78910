import { Tooltip, TooltipAnchor, TooltipProvider } from "@ariakit/react/tooltip";
import type { ReactElement, ReactNode } from "react";
import styles from "./Tip.module.css";

/** Words that show on hover and focus. What they name must have its own accessible name. */
export function Tip({ words, children }: { words: string; children: ReactElement }): ReactNode {
  return (
    <TooltipProvider timeout={500}>
      <TooltipAnchor render={children} />
      <Tooltip gutter={6} unmountOnHide portal className={styles.tip}>
        {words}
      </Tooltip>
    </TooltipProvider>
  );
}
