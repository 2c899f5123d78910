import { X } from "lucide-react";
import type { ReactNode } from "react";
import type { Turn } from "../../bridge/words";
import { useEcho } from "../../hooks/useEcho";
import type { Pending } from "../../state/talk";
import { IconButton } from "../../ui/Button";
import styles from "./WaitingList.module.css";

/** The questions that wait for the running answer, numbered, each with Remove; and what has only just been said. */
export function WaitingList({ turns, pending }: { turns: Turn[]; pending: Pending[] }): ReactNode {
  const echo = useEcho();
  const fresh = pending.filter(({ text }) => text !== "");
  if (turns.length === 0 && fresh.length === 0) return null;
  return (
    <div className={styles.waiting}>
      {turns.length > 0 && <p className={styles.head}>{turns.length === 1 ? "Next" : "Next, in this order"}</p>}
      <ol className={styles.list}>
        {turns.map((turn, index) => (
          <li key={turn.id} className={styles.entry}>
            <span className={styles.number} aria-hidden>
              {index + 1}
            </span>
            <span className={styles.text}>{turn.question}</span>
            <IconButton label={`Remove "${turn.question}"`} small onClick={() => echo.cancelTurn(turn.id)}>
              <X size={15} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ol>
      {fresh.map(({ id, text }) => (
        <p key={id} className={styles.fresh}>
          {text}
        </p>
      ))}
    </div>
  );
}
