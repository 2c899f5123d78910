import type { ReactNode } from "react";
import { Link } from "wouter";
import { useChatsState } from "../../../hooks/chatContext";
import { marked } from "../../../state/chatList";
import styles from "./Hits.module.css";

/** What the search found: in which chat, and the words around it. */
export function Hits(): ReactNode {
  const hits = useChatsState((state) => state.hits);
  const query = useChatsState((state) => state.query);
  const list = useChatsState((state) => state.list);
  const gone = new Set(list.removing.map(({ id }) => id));
  const named = list.rows.filter(
    ({ id, title }) => !gone.has(id) && title.toLowerCase().includes(query.trim().toLowerCase()),
  );
  if (hits === null) return <p className={styles.note}>Searching…</p>;
  const found = hits.filter(({ session }) => !gone.has(session));
  const heading =
    found.length + named.length === 0
      ? `Nothing in your chats matches “${query.trim()}”.`
      : `${found.length} ${found.length === 1 ? "message" : "messages"}`;
  return (
    <>
      <p className={styles.note} role="status">
        {heading}
      </p>
      <ul className={styles.hits}>
        {named
          .filter(({ id }) => !found.some(({ session }) => session === id))
          .map(({ id, title }) => (
            <li key={id}>
              <Link href={`/chat/${id}`} className={styles.hit}>
                <Marked className={styles.title} text={title} query={query} />
              </Link>
            </li>
          ))}
        {found.map(({ session, title, number, snippet }) => (
          <li key={`${session}.${number}`}>
            <Link href={`/chat/${session}?at=${number}`} className={styles.hit}>
              <span className={styles.title}>{title}</span>
              <Marked className={styles.snippet} text={snippet} query={query} />
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

function Marked({ text, query, className }: { text: string; query: string; className: string | undefined }): ReactNode {
  return (
    <span className={className}>
      {marked(text, query).map(({ at, text: piece, hit }) => (hit ? <mark key={at}>{piece}</mark> : piece))}
    </span>
  );
}
