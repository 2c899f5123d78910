import { Undo2 } from "lucide-react";
import type { CSSProperties, ReactNode } from "react";
import { useChats, useChatsState } from "../../../hooks/chatContext";
import { undoMs } from "../../../hooks/chatDeletions";
import { Button } from "../../../ui/Button";
import styles from "./Removed.module.css";

/** What was just deleted, for as long as it can be undone. */
export function Removed(): ReactNode {
  const chats = useChats();
  const removing = useChatsState((state) => state.list.removing);
  return (
    <div className={styles.removed} role="status">
      {removing.map(({ id, title }) => (
        <div key={id} className={styles.one} style={{ "--held": `${undoMs}ms` } as CSSProperties}>
          <span className={styles.words}>{`Deleted “${title}”`}</span>
          <Button small icon={<Undo2 size={14} aria-hidden />} onClick={() => chats.undo(id)}>
            Undo
          </Button>
        </div>
      ))}
    </div>
  );
}
