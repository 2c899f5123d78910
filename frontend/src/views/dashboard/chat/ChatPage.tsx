import { type ReactNode, useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { useChats, useChatsState } from "../../../hooks/chatContext";
import styles from "./ChatPage.module.css";
import { ChatSide } from "./ChatSide";
import { ConversationPane } from "./ConversationPane";
import { useChatKeys } from "./useChatKeys";

export interface ChatPageProps {
  /** The chat that the address names; "new": one that the first question makes; null: none is chosen. */
  chat: string | null;
}

/** The chats of this workspace, and the one that is read. */
export function ChatPage({ chat }: ChatPageProps): ReactNode {
  const chats = useChats();
  const [, navigate] = useLocation();
  const search = useRef<HTMLInputElement | null>(null);
  const field = useRef<HTMLTextAreaElement | null>(null);
  const open = useChatsState((state) => state.open.id);
  const serial = useChatsState((state) => state.serial);
  const wanted = chat === "new" || chat === null ? "" : chat;
  useChatKeys(search);

  useEffect(() => chats.show(), [chats]);
  // What the address named last, told from what a first question has just made.
  const named = useRef<string | null>(null);
  useEffect(() => {
    if (named.current === wanted && wanted === "" && open !== "") {
      named.current = open;
      navigate(`/chat/${open}`, { replace: true });
      return;
    }
    named.current = wanted;
    if (wanted === "") chats.openNew();
    else chats.open(wanted);
  }, [chats, wanted, open, navigate]);

  return (
    <div className={styles.page} data-chosen={chat !== null}>
      <ChatSide chosen={wanted} search={search} />
      <ConversationPane key={serial} field={field} />
    </div>
  );
}
