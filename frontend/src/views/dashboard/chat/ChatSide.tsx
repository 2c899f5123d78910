import { Search, SquarePen, Upload, X } from "lucide-react";
import { type ReactNode, type RefObject, useRef } from "react";
import { useLocation } from "wouter";
import { useChats, useChatsState } from "../../../hooks/chatContext";
import { IconButton } from "../../../ui/Button";
import { Notice } from "../../../ui/Notice";
import { ChatList } from "./ChatList";
import styles from "./ChatSide.module.css";
import { Hits } from "./Hits";
import { Removed } from "./Removed";

/** The chats: a search, the list, and what was just deleted. */
export function ChatSide({
  chosen,
  search,
}: {
  chosen: string;
  search: RefObject<HTMLInputElement | null>;
}): ReactNode {
  const chats = useChats();
  const [, navigate] = useLocation();
  const query = useChatsState((state) => state.query);
  const problem = useChatsState((state) => state.problem);
  const file = useRef<HTMLInputElement | null>(null);
  const take = async (chosenFile: File | undefined) => {
    if (chosenFile === undefined) return;
    const id = await chats.import(await chosenFile.text());
    if (id !== null) navigate(`/chat/${id}`);
  };
  return (
    <aside className={styles.side} aria-label="Chats">
      <header className={styles.head}>
        <h1>Chat</h1>
        <IconButton label="Import a chat" small onClick={() => file.current?.click()}>
          <Upload size={16} aria-hidden />
        </IconButton>
        <IconButton
          label="New chat"
          small
          onClick={() => {
            chats.openNew();
            navigate("/chat/new");
          }}
        >
          <SquarePen size={17} aria-hidden />
        </IconButton>
        <input
          ref={file}
          type="file"
          accept="application/json,.json"
          className="hidden-visually"
          tabIndex={-1}
          aria-hidden
          onChange={(event) => {
            void take(event.target.files?.[0]);
            event.target.value = "";
          }}
        />
      </header>
      <div className={styles.search}>
        <Search size={15} aria-hidden />
        <input
          ref={search}
          type="search"
          aria-label="Search chats"
          placeholder="Search"
          value={query}
          onChange={(event) => chats.search(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") chats.search("");
          }}
        />
        {query === "" ? (
          <kbd aria-hidden>Ctrl K</kbd>
        ) : (
          <IconButton label="Clear the search" small onClick={() => chats.search("")}>
            <X size={14} aria-hidden />
          </IconButton>
        )}
      </div>
      {problem !== null && (
        <div className={styles.problem}>
          <Notice kind="danger" live onDismiss={() => chats.dismiss("list")}>
            {problem.message}
          </Notice>
        </div>
      )}
      <div className={styles.scroller}>{query.trim() === "" ? <ChatList chosen={chosen} /> : <Hits />}</div>
      <Removed />
    </aside>
  );
}
