import { type ReactNode, useEffect, useRef } from "react";
import { useChats, useChatsState } from "../../../hooks/chatContext";
import { sectionsOf } from "../../../state/chatList";
import styles from "./ChatList.module.css";
import { ChatRowView } from "./ChatRowView";

/** The chats, newest first, divided by day. */
export function ChatList({ chosen }: { chosen: string }): ReactNode {
  const list = useChatsState((state) => state.list);
  const sections = sectionsOf(list, new Date());
  if (list.loaded && sections.length === 0) {
    return <p className={styles.empty}>What you ask here, and what you say to Echo, is kept here.</p>;
  }
  return (
    <nav aria-label="Earlier chats">
      {sections.map(({ words, rows }) => (
        <section key={words} className={styles.section} aria-label={words}>
          <h2>{words}</h2>
          <ul>
            {rows.map((row) => (
              <ChatRowView key={row.id} row={row} chosen={row.id === chosen} />
            ))}
          </ul>
        </section>
      ))}
      {list.next !== null && <More key={list.next} />}
    </nav>
  );
}

/** The end of what is read so far: coming into sight, it reads on. */
function More(): ReactNode {
  const chats = useChats();
  const ref = useRef<HTMLButtonElement | null>(null);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const seen = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) void chats.more();
      },
      { rootMargin: "400px" },
    );
    seen.observe(element);
    return () => seen.disconnect();
  }, [chats]);
  return (
    <button ref={ref} type="button" className={styles.more} onClick={() => void chats.more()}>
      Show earlier chats
    </button>
  );
}
