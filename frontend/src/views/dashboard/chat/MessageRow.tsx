import { RotateCcw } from "lucide-react";
import { memo, type ReactNode } from "react";
import { useChats, useChatsState } from "../../../hooks/chatContext";
import type { Row } from "../../../state/chatRows";
import { Button } from "../../../ui/Button";
import { classes } from "../../../ui/classes";
import { Notice } from "../../../ui/Notice";
import { Answer } from "../../answer/Answer";
import { CopyButton } from "../../answer/CopyButton";
import { Dots } from "../../answer/Dots";
import exchange from "../../answer/Exchange.module.css";
import { Question } from "../../answer/Question";
import { ToolLine } from "../../talk/ToolLine";
import styles from "./MessageRow.module.css";

export interface MessageRowProps {
  row: Row;
  /** A search led here. */
  found: boolean;
}

/** One row of the conversation. */
export const MessageRow = memo(
  function MessageRow({ row, found }: MessageRowProps): ReactNode {
    switch (row.kind) {
      case "question":
        return (
          <article className={styles.row} data-kind="question" data-found={found} data-number={row.number}>
            <Question text={row.text} spoken={row.spoken} />
          </article>
        );
      case "tool":
        return (
          <div className={styles.row} data-kind="tool" data-found={found} data-number={row.number}>
            <ToolLine tool={row.tool} />
          </div>
        );
      case "answer":
        return (
          <article
            className={styles.row}
            data-kind="answer"
            data-found={found}
            data-number={row.number}
            aria-busy={row.state === "writing"}
          >
            {row.text !== "" && <Answer text={row.text} />}
            {row.state === "writing" ? <Writing empty={row.text === ""} /> : <Outcome row={row} />}
          </article>
        );
    }
  },
  (before, after) => before.found === after.found && same(before.row, after.row),
);

/** Rows are made anew with every event: what they say tells whether they have changed. */
function same(before: Row, after: Row): boolean {
  if (before.key !== after.key || before.kind !== after.kind || before.number !== after.number) return false;
  if (before.kind === "tool" && after.kind === "tool") {
    return before.tool.status === after.tool.status && before.tool.result === after.tool.result;
  }
  if (before.kind === "question" && after.kind === "question") return before.text === after.text;
  if (before.kind === "answer" && after.kind === "answer") {
    return (
      before.text === after.text &&
      before.state === after.state &&
      before.newest === after.newest &&
      before.error?.message === after.error?.message
    );
  }
  return false;
}

/** How the reply that is written stands: in words where it waits, by three dots while nothing is there to read. */
function Writing({ empty }: { empty: boolean }): ReactNode {
  const live = useChatsState((state) => state.open.live);
  const spoken = useChatsState((state) => state.open.spoken);
  if (live?.offline === true) {
    return <p className={styles.quiet}>The line to Echo is gone. Coming back to this answer…</p>;
  }
  if (live?.status === "waiting") return <p className={styles.quiet}>{live.waiting}</p>;
  if (spoken) return <p className={styles.quiet}>Echo is answering aloud…</p>;
  if (!empty) return <div className={classes(exchange.actions, styles.actions)} />;
  return <Dots />;
}

function Outcome({ row }: { row: Extract<Row, { kind: "answer" }> }): ReactNode {
  const chats = useChats();
  const retry = row.newest ? (
    <Button small icon={<RotateCcw size={14} aria-hidden />} onClick={() => chats.retry()}>
      Try again
    </Button>
  ) : null;
  switch (row.state) {
    case "failed":
      return (
        <Notice kind="danger" actions={retry}>
          {row.error?.message ?? "The answer could not be finished."}
        </Notice>
      );
    case "interrupted":
      return (
        <Notice kind="warn" actions={retry}>
          Echo was closed before this answer was finished.
        </Notice>
      );
    case "stopped":
      return (
        <div className={classes(exchange.actions, styles.actions)}>
          <span className={exchange.stopped}>Stopped</span>
          {retry}
        </div>
      );
    default:
      return (
        <div className={classes(exchange.actions, styles.actions)} data-quiet={!row.newest}>
          <CopyButton label="Copy" text={() => row.text} />
        </div>
      );
  }
}
