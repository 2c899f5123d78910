import { AudioLines, Braces, ChevronLeft, Ellipsis, FileText, Mic, PenLine, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link, useLocation } from "wouter";
import { useChats, useChatsState } from "../../../hooks/chatContext";
import { IconButton } from "../../../ui/Button";
import { Menu, MenuItem, MenuLine } from "../../../ui/Menu";
import styles from "./ChatHead.module.css";
import { Rename } from "./Rename";

/** A file from the server, saved by the browser. */
function download(path: string): void {
  const link = document.createElement("a");
  link.href = path;
  link.download = "";
  link.click();
}

/** The chat's title, and what can be done with the whole of it. */
export function ChatHead(): ReactNode {
  const chats = useChats();
  const [, navigate] = useLocation();
  const id = useChatsState((state) => state.open.id);
  const title = useChatsState((state) => state.open.title);
  const voice = useChatsState((state) => state.open.voice);
  const row = useChatsState((state) => state.list.rows.find((each) => each.id === state.open.id));
  const [renaming, setRenaming] = useState(false);
  return (
    <header className={styles.head}>
      <Link href="/chat" className={styles.back} aria-label="All chats">
        <ChevronLeft size={20} aria-hidden />
      </Link>
      {renaming ? (
        <Rename id={id} title={title} className={styles.rename} onDone={() => setRenaming(false)} />
      ) : (
        <h2 className={styles.title} title={title} onDoubleClick={() => id !== "" && setRenaming(true)}>
          {voice && <Mic size={15} role="img" aria-label="Spoken" />}
          <span>{title}</span>
        </h2>
      )}
      {id !== "" && (
        <>
          <Link
            href={`/voice?${new URLSearchParams({ chat: id, title })}`}
            className={styles.continue}
            aria-label="Continue with Echo"
            title="Continue with Echo"
          >
            <AudioLines size={16} aria-hidden />
            <span>Continue with Echo</span>
          </Link>
          <Menu
            label="More for this chat"
            button={
              <IconButton label="More for this chat">
                <Ellipsis size={18} aria-hidden />
              </IconButton>
            }
          >
            <MenuItem icon={<PenLine size={16} aria-hidden />} onSelect={() => setRenaming(true)}>
              Rename
            </MenuItem>
            <MenuItem
              icon={<FileText size={16} aria-hidden />}
              detail="To read"
              onSelect={() => download(chats.exportPath(id, "markdown"))}
            >
              Export as Markdown
            </MenuItem>
            <MenuItem
              icon={<Braces size={16} aria-hidden />}
              detail="To import into another Echo"
              onSelect={() => download(chats.exportPath(id, "json"))}
            >
              Export as JSON
            </MenuItem>
            <MenuLine />
            <MenuItem
              danger
              disabled={row === undefined}
              icon={<Trash2 size={16} aria-hidden />}
              onSelect={() => {
                if (row !== undefined) chats.remove(row);
                navigate("/chat");
              }}
            >
              Delete
            </MenuItem>
          </Menu>
        </>
      )}
    </header>
  );
}
