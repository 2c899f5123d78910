import { RotateCcw, Square, Volume2 } from "lucide-react";
import { memo, type ReactNode } from "react";
import type { Turn } from "../../bridge/words";
import { useEcho, usePlayback } from "../../hooks/useEcho";
import { isOver } from "../../state/derive";
import { Button, IconButton } from "../../ui/Button";
import { classes } from "../../ui/classes";
import { Notice } from "../../ui/Notice";
import { Answer } from "../answer/Answer";
import { CopyButton } from "../answer/CopyButton";
import { Dots } from "../answer/Dots";
import exchange from "../answer/Exchange.module.css";
import { Question } from "../answer/Question";
import { ToolLine } from "./ToolLine";
import styles from "./TurnView.module.css";

export interface TurnViewProps {
  turn: Turn;
  asking: string | null;
  sentences: Record<number, string> | undefined;
  replaying: boolean;
}

/** One exchange: what was asked, what was done for it, what was answered. */
export const TurnView = memo(function TurnView({ turn, asking, sentences, replaying }: TurnViewProps): ReactNode {
  const spoken = usePlayback((status) => (status.speaking && status.turn === turn.id ? status.sentence : -1));
  const tools = turn.tools.filter(({ name, status }) => !(name === "ask_user" && status === "running"));
  const writing = turn.status === "answering" && turn.answer === "";
  return (
    <article className={styles.turn} aria-busy={!isOver(turn)}>
      <Question text={turn.question} spoken={turn.source === "spoken"} />
      {turn.away && <p className={styles.away}>Answered while Echo was away</p>}
      {tools.map((tool, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls are added at the end alone.
        <ToolLine key={index} tool={tool} />
      ))}
      {writing && <Dots />}
      {turn.answer !== "" && <Answer text={turn.answer} sentences={sentences} spoken={spoken} />}
      {asking !== null && asking !== "" && (
        <Notice kind="accent">
          <span className={styles.asks}>{asking}</span>
        </Notice>
      )}
      <Outcome turn={turn} replaying={replaying} />
    </article>
  );
});

function Outcome({ turn, replaying }: { turn: Turn; replaying: boolean }): ReactNode {
  const echo = useEcho();
  const retry = (
    <Button small icon={<RotateCcw size={14} aria-hidden />} onClick={() => echo.retry(turn.id)}>
      Try again
    </Button>
  );
  switch (turn.status) {
    case "failed":
      return (
        <Notice kind="danger" actions={retry}>
          {turn.error?.message ?? "The answer could not be finished."}
        </Notice>
      );
    case "stopped":
      return (
        <div className={exchange.actions}>
          <span className={exchange.stopped}>Stopped</span>
          {retry}
        </div>
      );
    case "answered":
      return (
        <div className={exchange.actions}>
          <PlayButton turn={turn} replaying={replaying} />
          <CopyButton label="Copy" text={() => turn.answer} />
        </div>
      );
    default:
      return <div className={classes(exchange.actions, styles.actions)} />;
  }
}

function PlayButton({ turn, replaying }: { turn: Turn; replaying: boolean }): ReactNode {
  const echo = useEcho();
  if (replaying) {
    return (
      <Button
        small
        kind="soft"
        icon={<Square size={12} fill="currentColor" aria-hidden />}
        onClick={() => echo.cancel()}
      >
        Stop playing
      </Button>
    );
  }
  if (turn.away) {
    return (
      <Button small kind="main" icon={<Volume2 size={15} aria-hidden />} onClick={() => echo.replay(turn.id)}>
        Play answer
      </Button>
    );
  }
  return (
    <IconButton label="Play answer" small onClick={() => echo.replay(turn.id)}>
      <Volume2 size={16} aria-hidden />
    </IconButton>
  );
}
