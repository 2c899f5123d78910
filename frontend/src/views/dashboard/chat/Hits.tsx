import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Hit } from "../../../bridge/words";
import { useChatsState } from "../../../hooks/chatContext";
import { marked } from "../../../state/chatList";
import styles from "./Hits.module.css";

/** Of one chat, no more than these are shown: others would drown. */
const perChat = 3;
/** The server gives the best of what it finds, no more than these. */
const most = 50;

interface Group {
  session: string;
  title: string;
  hits: Hit[];
}

/** The hits by chat, the chat of the best hit first. */
function groupsOf(hits: Hit[]): Group[] {
  const groups = new Map<string, Group>();
  for (const hit of hits) {
    const group = groups.get(hit.session);
    if (group === undefined) groups.set(hit.session, { session: hit.session, title: hit.title, hits: [hit] });
    else group.hits.push(hit);
  }
  return [...groups.values()];
}

function headingOf(messages: number, titles: number, query: string): string {
  if (messages + titles === 0) return `Nothing in your chats matches “${query}”.`;
  if (messages >= most) return `The ${most} best messages`;
  return messages === 1 ? "1 message" : `${messages} messages`;
}

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
  const groups = groupsOf(found);
  return (
    <>
      <p className={styles.note} role="status">
        {headingOf(found.length, named.length, query.trim())}
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
        {groups.map(({ session, title, hits: here }) => (
          <li key={session}>
            {here.slice(0, perChat).map(({ number, snippet }, index) => (
              <Link key={number} href={`/chat/${session}?at=${number}`} className={styles.hit}>
                {index === 0 && <span className={styles.title}>{title}</span>}
                <Marked className={styles.snippet} text={snippet} query={query} />
              </Link>
            ))}
            {here.length > perChat && <p className={styles.more}>{`${here.length - perChat} more in this chat`}</p>}
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
