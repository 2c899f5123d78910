import type { ReactNode } from "react";
import type { EndedReason } from "../../bridge/words";
import { useEcho, useEchoState } from "../../hooks/useEcho";
import { nextLook } from "../../state/derive";
import { Button } from "../../ui/Button";
import { Notice } from "../../ui/Notice";
import styles from "./LinkNotes.module.css";

function endedWords(reason: EndedReason | null): string {
  switch (reason) {
    case "goodbye":
      return "You said goodbye. This conversation has ended.";
    case "forgotten":
      return "This conversation was put away after a quiet spell.";
    case "shutdown":
      return "Echo was closed. Start it again to go on.";
    case "user":
    case null:
      return "This conversation has ended.";
  }
}

/** Where this window stands to the conversation, when that is not simply attached. */
export function LinkNotes(): ReactNode {
  const echo = useEcho();
  const link = useEchoState((state) => state.link);
  const ended = useEchoState((state) => state.talk.ended);
  const takeover = useEchoState((state) => state.takeover);
  const ending = useEchoState((state) => state.talk.ending);
  const next = useEchoState((state) => nextLook(state)?.name);
  const begin = (
    <Button small kind="main" onClick={() => void echo.connect({ new: true })}>
      New conversation
    </Button>
  );
  switch (link.name) {
    case "away":
      if (link.offer === "start") return null;
      return (
        <div className={styles.row}>
          <Button kind="main" onClick={() => void echo.connect()}>
            Continue conversation
          </Button>
          <Button kind="plain" onClick={() => void echo.connect({ new: true })}>
            New conversation
          </Button>
        </div>
      );
    case "held": {
      const take = () => void echo.connect({ ...link.request, take: true });
      return (
        <Notice
          live
          actions={
            <Button small kind="main" onClick={take}>
              {"Talk here instead"}
            </Button>
          }
        >
          Echo is talking in another window.
        </Notice>
      );
    }
    case "taken":
      return (
        <Notice
          live
          actions={
            <Button small kind="main" onClick={() => void echo.connect({ take: true })}>
              Talk here
            </Button>
          }
        >
          The conversation has moved to another window. It goes on there.
        </Notice>
      );
    case "ended":
      return (
        <Notice live actions={ended === "shutdown" ? undefined : begin}>
          {endedWords(ended)}
        </Notice>
      );
    case "waiting":
      return link.attempt < 2 ? null : <Notice live>Echo does not answer. Trying again…</Notice>;
    default:
      if (ending !== null) return <Notice live>This conversation ends after the answer in progress.</Notice>;
      if (takeover === null) {
        return next === undefined ? null : <Notice live>{`${next} takes over once this answer is done.`}</Notice>;
      }
      return <Notice live>{takeoverWords(takeover.request.chat !== undefined)}</Notice>;
  }
}

function takeoverWords(chat: boolean): string {
  const what = chat ? "The other chat" : "The new conversation";
  return `${what} takes over once this answer, and what waits, is done.`;
}
