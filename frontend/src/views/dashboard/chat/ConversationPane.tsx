import type { ReactNode, RefObject } from "react";
import { Link } from "wouter";
import { useChats, useChatsState } from "../../../hooks/chatContext";
import { Button } from "../../../ui/Button";
import { Notice } from "../../../ui/Notice";
import { ChatHead } from "./ChatHead";
import { Composer } from "./Composer";
import styles from "./ConversationPane.module.css";
import { Messages } from "./Messages";
import { NewChat } from "./NewChat";

/** The chat that is read: its head, what was said, and where one types. */
export function ConversationPane({ field }: { field: RefObject<HTMLTextAreaElement | null> }): ReactNode {
  const chats = useChats();
  const phase = useChatsState((state) => state.open.phase);
  const id = useChatsState((state) => state.open.id);
  const problem = useChatsState((state) => state.open.problem);
  const unsaved = useChatsState(({ list, open }) => list.rows.find((row) => row.id === open.id)?.problem ?? "");
  const fresh = useChatsState(({ open }) => open.id === "" && open.live === null);
  const removed = useChatsState((state) => state.list.removing.some((row) => row.id === state.open.id));

  if (phase === "missing" || removed) {
    return (
      <main className={styles.pane} data-centred="true">
        <p>This chat is not here. It was deleted, or belongs to another workspace.</p>
        <Link href="/chat/new" className={styles.link}>
          Start a new chat
        </Link>
      </main>
    );
  }
  if (phase === "broken") {
    return (
      <main className={styles.pane} data-centred="true">
        <Notice kind="danger" actions={<Button onClick={() => chats.open(id)}>Try again</Button>}>
          {problem?.message ?? "This chat could not be read."}
        </Notice>
      </main>
    );
  }
  return (
    <main className={styles.pane}>
      <ChatHead />
      {fresh ? <NewChat field={field} /> : phase === "ready" ? <Messages /> : <div className={styles.space} />}
      {unsaved !== "" && (
        <div className={styles.problem}>
          <Notice kind="warn" live>
            {unsaved}
          </Notice>
        </div>
      )}
      {problem !== null && (
        <div className={styles.problem}>
          <Notice kind="warn" live onDismiss={() => chats.dismiss("chat")}>
            {problem.message}
          </Notice>
        </div>
      )}
      <Composer field={field} />
    </main>
  );
}
