import { Clock, Ellipsis, LoaderCircle, Mic, PenLine, Trash2 } from "lucide-react";
import { memo, type ReactNode, useState } from "react";
import { Link, useLocation } from "wouter";
import type { ChatRow } from "../../../bridge/words";
import { useChats } from "../../../hooks/chatContext";
import { IconButton } from "../../../ui/Button";
import { Menu, MenuItem } from "../../../ui/Menu";
import styles from "./ChatList.module.css";
import { Rename } from "./Rename";

/** One chat of the list: its marks, and renaming and deleting in place. */
export const ChatRowView = memo(function ChatRowView({ row, chosen }: { row: ChatRow; chosen: boolean }): ReactNode {
  const chats = useChats();
  const [, navigate] = useLocation();
  const [renaming, setRenaming] = useState(false);
  if (renaming) {
    return (
      <li className={styles.row}>
        <Rename id={row.id} title={row.title} className={styles.rename} onDone={() => setRenaming(false)} />
      </li>
    );
  }
  return (
    <li className={styles.row} data-chosen={chosen}>
      <Link
        href={`/chat/${row.id}`}
        className={styles.link}
        aria-current={chosen ? "page" : undefined}
        title={row.title}
        onDoubleClick={() => setRenaming(true)}
        onKeyDown={(event) => {
          if (event.key === "F2") setRenaming(true);
        }}
      >
        {row.kind === "voice" && <Mic size={14} role="img" aria-label="Spoken" className={styles.spoken} />}
        <span className={styles.title}>{row.title}</span>
        <Busy row={row} />
      </Link>
      <Menu
        label={`More for ${row.title}`}
        button={
          <IconButton label={`More for ${row.title}`} small className={styles.menu}>
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem icon={<PenLine size={16} aria-hidden />} onSelect={() => setRenaming(true)}>
          Rename
        </MenuItem>
        <MenuItem
          danger
          icon={<Trash2 size={16} aria-hidden />}
          onSelect={() => {
            chats.remove(row);
            if (chosen) navigate("/chat");
          }}
        >
          Delete
        </MenuItem>
      </Menu>
    </li>
  );
});

/** The mark of a chat that is still answering, or waits to. */
function Busy({ row }: { row: ChatRow }): ReactNode {
  if (row.replying) {
    return (
      <LoaderCircle size={14} role="img" aria-label="Still answering" className={styles.busy} data-kind="replying" />
    );
  }
  if (row.waiting) return <Clock size={14} role="img" aria-label="Waiting to be answered" className={styles.busy} />;
  return null;
}
