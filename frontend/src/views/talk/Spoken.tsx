import { type ReactNode, useEffect, useState } from "react";
import type { TalkState } from "../../state/talk";

/** What a screen reader says: each answer once, when it is complete, and never one that was there before. */
export function Spoken({ talk }: { talk: TalkState }): ReactNode {
  const [words, setWords] = useState("");
  const asking = talk.asking?.question ?? null;
  const { lastOver } = talk;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer is told when it ends, not when it is changed again.
  useEffect(() => {
    const turn = talk.turns.find(({ id }) => id === lastOver);
    if (turn === undefined) return;
    setWords(turn.status === "failed" ? `That failed. ${turn.error?.message ?? ""}` : turn.answer);
  }, [lastOver]);
  useEffect(() => {
    if (asking !== null) setWords(asking);
  }, [asking]);
  return (
    <div className="hidden-visually" aria-live="polite" aria-atomic="true">
      {words}
    </div>
  );
}
