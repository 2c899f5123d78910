import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Turn } from "../../bridge/words";
import { isOver } from "../../state/derive";

/** What a screen reader says: each answer once, when it is complete, and never one that was there before. */
export function Spoken({ turns, asking }: { turns: Turn[]; asking: string | null }): ReactNode {
  const said = useRef<Set<number> | null>(null);
  const [words, setWords] = useState("");
  useEffect(() => {
    const over = turns.filter(isOver);
    if (said.current === null) {
      said.current = new Set(over.map(({ id }) => id));
      return;
    }
    for (const turn of over) {
      if (said.current.has(turn.id)) continue;
      said.current.add(turn.id);
      if (turn.source === "chat" || turn.away) continue;
      setWords(turn.status === "failed" ? `That failed. ${turn.error?.message ?? ""}` : turn.answer);
    }
  }, [turns]);
  useEffect(() => {
    if (asking !== null) setWords(asking);
  }, [asking]);
  return (
    <div className="hidden-visually" aria-live="polite" aria-atomic="true">
      {words}
    </div>
  );
}
