import { type ReactNode, useId } from "react";
import styles from "./Segmented.module.css";

export interface SegmentedProps<Value extends string> {
  label: string;
  options: { value: Value; words: string; icon?: ReactNode }[];
  value: Value;
  onChange: (value: Value) => void;
}

/** A choice of few, side by side: radio buttons in looks and keyboard. */
export function Segmented<Value extends string>({ label, options, value, onChange }: SegmentedProps<Value>): ReactNode {
  const name = useId();
  return (
    <fieldset className={styles.group}>
      <legend className="hidden-visually">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className={styles.option} data-chosen={option.value === value}>
          <input
            type="radio"
            name={name}
            className="hidden-visually"
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.icon}
          <span>{option.words}</span>
        </label>
      ))}
    </fieldset>
  );
}
