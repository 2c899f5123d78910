import { Check, KeyRound } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import type { SettingsPatch } from "../../../bridge/transport";
import { type Save, useChoice, useSave } from "../../../hooks/settingsSave";
import { keptKey } from "../../../protocol/types.gen";
import { Button } from "../../../ui/Button";
import { Switch } from "../../../ui/Switch";
import styles from "./Field.module.css";

/** What became of the last change: beside the field, read out once. */
export function Outcome({ save }: { save: Save }): ReactNode {
  return (
    <span role="status" className={styles.outcome}>
      {save.state === "saved" && (
        <span className={styles.saved}>
          <Check size={13} aria-hidden />
          Saved
        </span>
      )}
      {save.problem !== "" && <span className={styles.problem}>{save.problem}</span>}
    </span>
  );
}

export interface RowProps {
  label: string;
  /** The id of what the label names. */
  of?: string;
  consequence?: ReactNode;
  save?: Save;
  children: ReactNode;
  /** The control stands under its words: it needs the width. */
  wide?: boolean;
}

/** One setting: its words and what it means, and the control. */
export function Row({ label, of, consequence, save, children, wide = false }: RowProps): ReactNode {
  return (
    <div className={styles.row} data-wide={wide}>
      <div className={styles.words}>
        {of === undefined ? <span className={styles.label}>{label}</span> : <label htmlFor={of}>{label}</label>}
        {consequence !== undefined && <p className={styles.consequence}>{consequence}</p>}
        {save !== undefined && <Outcome save={save} />}
      </div>
      <div className={styles.control}>{children}</div>
    </div>
  );
}

export interface TextFieldProps {
  label: string;
  consequence?: ReactNode;
  value: string;
  patch: (value: string) => SettingsPatch;
  placeholder?: string;
  suggestions?: string[];
}

/** A text that is saved when one leaves it, or by Enter. */
export function TextField({ label, consequence, value, patch, placeholder, suggestions }: TextFieldProps): ReactNode {
  const id = useId();
  const save = useSave();
  const [words, setWords] = useState<string | null>(null);
  const keep = async () => {
    if (words === null) return;
    const wanted = words.trim();
    if (wanted === value) {
      setWords(null);
      save.clear();
    } else if (await save.save(patch(wanted))) setWords(null);
  };
  return (
    <Row label={label} of={id} consequence={consequence} save={save} wide>
      <input
        id={id}
        className={styles.text}
        value={words ?? value}
        placeholder={placeholder}
        list={suggestions === undefined ? undefined : `${id}-list`}
        aria-invalid={save.problem !== ""}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setWords(event.target.value)}
        onBlur={() => void keep()}
        onKeyDown={(event) => {
          if (event.key === "Enter") void keep();
          if (event.key === "Escape" && words !== null) {
            event.stopPropagation();
            setWords(null);
            save.clear();
          }
        }}
      />
      {suggestions !== undefined && (
        <datalist id={`${id}-list`}>
          {suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </Row>
  );
}

export interface SecretFieldProps {
  label: string;
  consequence?: ReactNode;
  value: string;
  patch: (value: string) => SettingsPatch;
}

/** A key that is written and never read back: one sees that it is set, and can set another or remove it. */
export function SecretField({ label, consequence, value, patch }: SecretFieldProps): ReactNode {
  const id = useId();
  const save = useSave();
  const [words, setWords] = useState("");
  const set = value === keptKey;
  const keep = async () => {
    if (words.trim() !== "" && (await save.save(patch(words.trim())))) setWords("");
  };
  return (
    <Row label={label} of={id} consequence={consequence} save={save} wide>
      <div className={styles.secret}>
        <KeyRound size={15} aria-hidden />
        <input
          id={id}
          type="password"
          className={styles.text}
          value={words}
          placeholder={set ? "A key is set. Type to replace it" : "None"}
          autoComplete="off"
          onChange={(event) => setWords(event.target.value)}
          onBlur={() => void keep()}
          onKeyDown={(event) => {
            if (event.key === "Enter") void keep();
          }}
        />
        {set && (
          <Button small onClick={() => void save.save(patch(""))}>
            Remove
          </Button>
        )}
      </div>
    </Row>
  );
}

export interface SelectFieldProps {
  label: string;
  consequence?: ReactNode;
  value: string;
  options: { value: string; words: string }[];
  patch: (value: string) => SettingsPatch;
}

export function SelectField({ label, consequence, value, options, patch }: SelectFieldProps): ReactNode {
  const id = useId();
  const { shown, choose, save } = useChoice(value, patch);
  return (
    <Row label={label} of={id} consequence={consequence} save={save}>
      <select id={id} className={styles.select} value={shown} onChange={(event) => choose(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.words}
          </option>
        ))}
      </select>
    </Row>
  );
}

export interface SwitchFieldProps {
  label: string;
  consequence?: ReactNode;
  on: boolean;
  patch: (on: boolean) => SettingsPatch;
}

export function SwitchField({ label, consequence, on, patch }: SwitchFieldProps): ReactNode {
  const { shown, choose, save } = useChoice(on, patch);
  return (
    <div className={styles.switch}>
      <Switch label={label} consequence={consequence} on={shown} onChange={choose} />
      <Outcome save={save} />
    </div>
  );
}

export interface CardsProps<Value extends string> {
  label: string;
  value: Value;
  options: { value: Value; words: string; consequence: ReactNode; aside?: ReactNode }[];
  patch: (value: Value) => SettingsPatch;
}

/** A choice of few whose consequences are worth reading: cards, which are radio buttons. */
export function Cards<Value extends string>({ label, value, options, patch }: CardsProps<Value>): ReactNode {
  const name = useId();
  const { shown, choose, save } = useChoice(value, patch);
  return (
    <fieldset className={styles.cards}>
      <legend>{label}</legend>
      <Outcome save={save} />
      {options.map((option) => (
        <label key={option.value} className={styles.card} data-chosen={option.value === shown}>
          <input type="radio" name={name} checked={option.value === shown} onChange={() => choose(option.value)} />
          <span className={styles.cardWords}>
            <b>{option.words}</b>
            <span>{option.consequence}</span>
          </span>
          {option.aside}
        </label>
      ))}
    </fieldset>
  );
}
