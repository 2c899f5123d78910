import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Turn } from "../../bridge/words";
import { isOver } from "../../state/derive";

/** What a screen reader says: each answer once, when it is complete, and never one that was there before. */
export function Spoken({ turns, asking }: { turns: Turn[]; asking: string | null }): ReactNode {
  const written = useRef(new Set<number>());
  const [words, setWords] = useState("");
  useEffect(() => {
    for (const turn of turns) {
      if (!isOver(turn)) written.current.add(turn.id);
      else if (written.current.delete(turn.id)) {
        setWords(turn.status === "failed" ? `That failed. ${turn.error?.message ?? ""}` : turn.answer);
      }
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
