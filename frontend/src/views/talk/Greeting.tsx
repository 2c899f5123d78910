import { type ReactNode, useMemo } from "react";
import type { Mode } from "../../bridge/words";
import { useEcho, useEchoState } from "../../hooks/useEcho";
import { Orb } from "../../ui/Orb";
import styles from "./Greeting.module.css";
import { useMood, useOrbLevel } from "./useMood";

const suggestions = ["What time is it in Tokyo?", "What is 15% of 80?", "What did I write about the garden?"];

function greetingOf(hour: number): string {
  if (hour < 5) return "Still up?";
  if (hour < 12) return "Good morning";
  if (hour < 18) return "Good afternoon";
  return "Good evening";
}

function howTo(mode: Mode): string {
  return mode === "hands_free"
    ? "Press the button once, then just talk. Or type."
    : "Hold the button or Space, and talk. Or type.";
}

/** What stands where nothing has been said yet. */
export function Greeting(): ReactNode {
  const echo = useEcho();
  const mood = useMood();
  const level = useOrbLevel();
  const mode = useEchoState((state) => state.settings?.voice.mode ?? "push_to_talk");
  const elsewhere = useEchoState((state) => state.link.name === "held" || state.link.name === "taken");
  const greeting = useMemo(() => greetingOf(new Date().getHours()), []);
  return (
    <div className={styles.greeting}>
      <Orb size={104} mood={mood} level={level} />
      <h2 className={styles.words}>{greeting}</h2>
      {!elsewhere && <p className={styles.how}>{howTo(mode)}</p>}
      {!elsewhere && (
        <ul className={styles.suggestions} aria-label="Things to ask">
          {suggestions.map((text) => (
            <li key={text}>
              <button type="button" className={styles.suggestion} onClick={() => void echo.ask(text)}>
                {text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
