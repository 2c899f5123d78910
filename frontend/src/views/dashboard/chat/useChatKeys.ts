import { type RefObject, useEffect } from "react";
import { useChats } from "../../../hooks/chatContext";

/** Ctrl+K searches the chats, Ctrl+. stops the reply. */
export function useChatKeys(search: RefObject<HTMLInputElement | null>): void {
  const chats = useChats();
  useEffect(() => {
    const down = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      if (event.key === ".") {
        event.preventDefault();
        chats.stop();
      }
      if (event.key.toLowerCase() === "k") {
        event.preventDefault();
        search.current?.focus();
        search.current?.select();
      }
    };
    window.addEventListener("keydown", down);
    return () => window.removeEventListener("keydown", down);
  }, [chats, search]);
}
