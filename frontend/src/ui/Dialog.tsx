import * as Ariakit from "@ariakit/react/dialog";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "./Button";
import styles from "./Dialog.module.css";

export interface DialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
}

export function Dialog({ title, open, onClose, children }: DialogProps): ReactNode {
  return (
    <Ariakit.Dialog
      open={open}
      onClose={onClose}
      unmountOnHide
      portal
      preventBodyScroll={false}
      backdrop={<div className={styles.backdrop} />}
      className={styles.dialog}
    >
      <header className={styles.head}>
        <Ariakit.DialogHeading className={styles.title}>{title}</Ariakit.DialogHeading>
        <IconButton label="Close" onClick={onClose} small>
          <X size={17} aria-hidden />
        </IconButton>
      </header>
      <div className={styles.body}>{children}</div>
    </Ariakit.Dialog>
  );
}
