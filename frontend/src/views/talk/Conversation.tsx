import { ArrowDown } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { useEchoState } from "../../hooks/useEcho";
import { waitingTurns } from "../../state/derive";
import { Button } from "../../ui/Button";
import styles from "./Conversation.module.css";
import { Greeting } from "./Greeting";
import { IgnoredList } from "./IgnoredList";
import { LinkNotes } from "./LinkNotes";
import { Spoken } from "./Spoken";
import { TurnView } from "./TurnView";
import { useFollow } from "./useFollow";
import { WaitingList } from "./WaitingList";

/** The exchanges of the conversation, oldest first, with what waits at their end. */
export function Conversation(): ReactNode {
  const talk = useEchoState((state) => state.talk);
  const { scroller, content, behind, toEnd } = useFollow();
  const shown = talk.turns.filter((turn) => turn.status !== "queued");
  const newest = talk.lastId;
  // A question of one's own is always shown, wherever one was reading.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the newest id is what asks for it.
  useEffect(toEnd, [newest]);

  const empty = shown.length === 0 && talk.pending.length === 0 && waitingTurns(talk).length === 0;
  return (
    <div className={styles.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section ref={scroller} className={styles.scroller} aria-label="Conversation" tabIndex={0}>
        <div ref={content} className={styles.content} data-empty={empty}>
          {empty && <Greeting />}
          {talk.continuing !== null && <p className={styles.continuing}>{`Continuing "${talk.continuing}"`}</p>}
          {shown.map((turn) => (
            <TurnView
              key={turn.id}
              turn={turn}
              asking={talk.asking?.id === turn.id ? talk.asking.question : null}
              sentences={talk.sentences[turn.id]}
              replaying={talk.replaying === turn.id}
            />
          ))}
          <WaitingList turns={waitingTurns(talk)} pending={talk.pending} />
          <IgnoredList ignored={talk.ignored} />
          <LinkNotes />
        </div>
      </section>
      {behind && (
        <Button small className={styles.newest} icon={<ArrowDown size={15} aria-hidden />} onClick={toEnd}>
          Newest
        </Button>
      )}
      <Spoken talk={talk} />
    </div>
  );
}
