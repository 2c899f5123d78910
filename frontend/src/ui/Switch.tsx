import { type ReactNode, useId } from "react";
import styles from "./Switch.module.css";

export interface SwitchProps {
  label: string;
  /** What it means to have it on, in plain words. */
  consequence?: ReactNode;
  on: boolean;
  onChange: (on: boolean) => void;
  disabled?: boolean;
}

export function Switch({ label, consequence, on, onChange, disabled }: SwitchProps): ReactNode {
  const id = useId();
  return (
    <div className={styles.row}>
      <div className={styles.words}>
        <label htmlFor={id}>{label}</label>
        {consequence !== undefined && (
          <p id={`${id}-means`} className={styles.consequence}>
            {consequence}
          </p>
        )}
      </div>
      <button
        id={id}
        type="button"
        role="switch"
        aria-checked={on}
        aria-describedby={consequence === undefined ? undefined : `${id}-means`}
        disabled={disabled}
        className={styles.switch}
        onClick={() => onChange(!on)}
      >
        <span className={styles.knob} />
      </button>
    </div>
  );
}
