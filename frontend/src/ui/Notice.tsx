import { X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "./Button";
import { classes } from "./classes";
import styles from "./Notice.module.css";

export interface NoticeProps {
  kind?: "plain" | "warn" | "danger" | "accent";
  children: ReactNode;
  actions?: ReactNode;
  onDismiss?: () => void;
  /** Read out when it appears. */
  live?: boolean;
}

/** A sentence that stands in the page, with what can be done about it. */
export function Notice({ kind = "plain", children, actions, onDismiss, live = false }: NoticeProps): ReactNode {
  return (
    <div className={classes(styles.notice, styles[kind])} role={live ? "status" : undefined}>
      <div className={styles.words}>{children}</div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      {onDismiss !== undefined && (
        <IconButton label="Dismiss" small onClick={onDismiss}>
          <X size={15} aria-hidden />
        </IconButton>
      )}
    </div>
  );
}
