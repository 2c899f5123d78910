import { type ReactNode, useMemo } from "react";
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

/** What stands where nothing has been said yet. */
export function Greeting(): ReactNode {
  const echo = useEcho();
  const mood = useMood();
  const level = useOrbLevel();
  const mode = useEchoState((state) => state.settings?.voice.mode ?? "push_to_talk");
  const continues = useEchoState((state) => state.link.name === "away" && state.link.offer === "continue");
  const greeting = useMemo(() => greetingOf(new Date().getHours()), []);
  return (
    <div className={styles.greeting}>
      <Orb size={104} mood={mood} level={level} />
      <h2 className={styles.words}>{greeting}</h2>
      <p className={styles.how}>
        {mode === "hands_free" ? "Press the button, then just talk." : "Hold the button or Space, and talk."} Or type.
      </p>
      {!continues && (
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
