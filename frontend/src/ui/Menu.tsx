import * as Ariakit from "@ariakit/react/menu";
import { Check, ChevronRight } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { classes } from "./classes";
import styles from "./Menu.module.css";

export interface MenuProps {
  /** The button that opens it. */
  button: ReactElement;
  children: ReactNode;
  label: string;
  open?: boolean;
  onOpen?: (open: boolean) => void;
}

/** A menu under a button. */
export function Menu({ button, children, label, open, onOpen }: MenuProps): ReactNode {
  return (
    <Ariakit.MenuProvider open={open} setOpen={onOpen} placement="bottom-end">
      <Ariakit.MenuButton render={button} />
      <Ariakit.Menu aria-label={label} gutter={6} overflowPadding={8} portal unmountOnHide className={styles.menu}>
        {children}
      </Ariakit.Menu>
    </Ariakit.MenuProvider>
  );
}

/** A menu inside a menu. */
export function Submenu({ label, hint, icon, children, onOpen }: SubmenuProps): ReactNode {
  return (
    <Ariakit.MenuProvider setOpen={onOpen} placement="bottom-start">
      <Ariakit.MenuButton render={<Ariakit.MenuItem className={styles.item} />}>
        {icon}
        <span className={styles.words}>{label}</span>
        {hint !== undefined && <span className={styles.hint}>{hint}</span>}
        <ChevronRight size={15} aria-hidden />
      </Ariakit.MenuButton>
      <Ariakit.Menu
        aria-label={label}
        gutter={4}
        overflowPadding={8}
        portal
        unmountOnHide
        className={classes(styles.menu, styles.sub)}
      >
        {children}
      </Ariakit.Menu>
    </Ariakit.MenuProvider>
  );
}

export interface SubmenuProps {
  label: string;
  hint?: string;
  icon?: ReactNode;
  children: ReactNode;
  onOpen?: (open: boolean) => void;
}

export interface MenuItemProps {
  children: ReactNode;
  onSelect: () => void;
  icon?: ReactNode;
  detail?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  hint?: string;
}

export function MenuItem({ children, onSelect, icon, detail, danger, disabled, hint }: MenuItemProps): ReactNode {
  return (
    <Ariakit.MenuItem className={classes(styles.item, danger && styles.danger)} disabled={disabled} onClick={onSelect}>
      {icon}
      <span className={styles.words}>
        {children}
        {detail !== undefined && <span className={styles.detail}>{detail}</span>}
      </span>
      {hint !== undefined && <kbd className={styles.hint}>{hint}</kbd>}
    </Ariakit.MenuItem>
  );
}

export interface MenuChoiceProps {
  name: string;
  value: string;
  chosen: string;
  onChoose: (value: string) => void;
  children: ReactNode;
  detail?: ReactNode;
  swatch?: ReactNode;
}

/** One of several in a menu, of which one is chosen. */
export function MenuChoice({ name, value, chosen, onChoose, children, detail, swatch }: MenuChoiceProps): ReactNode {
  const checked = value === chosen;
  return (
    <Ariakit.MenuItemRadio
      className={styles.item}
      name={name}
      value={value}
      checked={checked}
      hideOnClick
      onChange={() => onChoose(value)}
    >
      {swatch}
      <span className={styles.words}>
        {children}
        {detail !== undefined && <span className={styles.detail}>{detail}</span>}
      </span>
      {checked && <Check size={16} aria-hidden className={styles.check} />}
    </Ariakit.MenuItemRadio>
  );
}

export function MenuLine(): ReactNode {
  return <Ariakit.MenuSeparator className={styles.line} />;
}

export function MenuNote({ children }: { children: ReactNode }): ReactNode {
  return <div className={styles.note}>{children}</div>;
}
