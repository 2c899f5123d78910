import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import styles from "./Button.module.css";
import { classes } from "./classes";
import { Tip } from "./Tip";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: "plain" | "soft" | "main" | "danger";
  small?: boolean;
  icon?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind = "soft", small = false, icon, children, className, ...rest }: ButtonProps): ReactNode {
  return (
    <button type="button" className={classes(styles.button, styles[kind], small && styles.small, className)} {...rest}>
      {icon}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}

export interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** What it does: its name for screen readers, and its tooltip. */
  label: string;
  children: ReactNode;
  small?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ label, children, small = false, className, ...rest }: IconButtonProps): ReactNode {
  return (
    <Tip words={label}>
      <button
        type="button"
        aria-label={label}
        className={classes(styles.icon, small && styles.iconSmall, className)}
        {...rest}
      >
        {children}
      </button>
    </Tip>
  );
}
