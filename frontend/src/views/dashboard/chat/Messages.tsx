import { ArrowDown } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { useSearchParams } from "wouter";
import { useChats, useChatsState } from "../../../hooks/chatContext";
import { type Row, rowsOf } from "../../../state/chatRows";
import { Button } from "../../../ui/Button";
import { useFollow } from "../../talk/useFollow";
import { MessageRow } from "./MessageRow";
import styles from "./Messages.module.css";

/** Nearer to the first message than this, the ones before it are read. */
const nearStartPx = 900;
const topSpace = 12;

/** What was said, oldest first. However long the chat, only what is near is built. */
export function Messages(): ReactNode {
  const chats = useChats();
  const open = useChatsState((state) => state.open);
  const rows = useMemo(() => rowsOf(open), [open]);
  const { scroller, content, behind, toEnd } = useFollow();
  const list = useRef<VirtualizerHandle | null>(null);
  const found = useFound(list, rows);

  // Rows that are put before the first must not move the ones that are read.
  const first = open.messages[0]?.number ?? 1;
  const firstBefore = useRef(first);
  const shift = first < firstBefore.current;
  useEffect(() => {
    firstBefore.current = first;
  }, [first]);

  // A question of one's own is always shown, wherever one was reading.
  const asked = open.live?.status === "sending" ? open.live.base : 0;
  useEffect(() => {
    if (asked > 0) toEnd();
  }, [asked, toEnd]);

  const reading = useRef(false);
  const scrolled = (offset: number) => {
    if (offset > nearStartPx || !open.older || reading.current) return;
    reading.current = true;
    void chats.older().finally(() => {
      reading.current = false;
    });
  };

  return (
    <div className={styles.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section ref={scroller} className={styles.scroller} aria-label="Conversation" tabIndex={0}>
        <div ref={content} className={styles.content} style={{ paddingTop: topSpace }}>
          <Virtualizer
            ref={list}
            scrollRef={scroller}
            startMargin={topSpace}
            shift={shift}
            bufferSize={600}
            onScroll={scrolled}
          >
            {rows.map((row) => (
              <MessageRow key={row.key} row={row} found={found === row.number} />
            ))}
          </Virtualizer>
        </div>
      </section>
      {behind && (
        <Button small className={styles.newest} icon={<ArrowDown size={15} aria-hidden />} onClick={toEnd}>
          Newest
        </Button>
      )}
      <Finished rows={rows} />
    </div>
  );
}

/** Goes to the message that a search found, and marks it. */
function useFound(list: { current: VirtualizerHandle | null }, rows: Row[]): number | null {
  const chats = useChats();
  const [search] = useSearchParams();
  const wanted = Number(search.get("at") ?? "");
  const [reached, setReached] = useState(0);
  const shown = useRef(0);
  useEffect(() => {
    if (!(wanted > 0)) return;
    let here = true;
    void chats.reach(wanted).then((there) => {
      if (here && there) setReached(wanted);
    });
    return () => {
      here = false;
    };
  }, [chats, wanted]);
  useEffect(() => {
    if (reached === 0 || shown.current === reached) return;
    const index = rows.findIndex(({ number }) => number === reached);
    if (index < 0) return;
    shown.current = reached;
    // After the rows have been measured for the first time.
    const frame = requestAnimationFrame(() => list.current?.scrollToIndex(index, { align: "center" }));
    return () => cancelAnimationFrame(frame);
  }, [reached, rows, list]);
  return reached === wanted && wanted > 0 ? reached : null;
}

/** Tells screen readers an answer once: when it is finished while they are here. */
function Finished({ rows }: { rows: Row[] }): ReactNode {
  const last = rows.at(-1);
  const writing = useRef(false);
  const [text, setText] = useState("");
  useEffect(() => {
    if (last?.kind !== "answer") return;
    if (last.state === "writing") {
      writing.current = true;
      return;
    }
    if (writing.current) setText(last.text);
    writing.current = false;
  }, [last]);
  return (
    <div className="hidden-visually" aria-live="polite">
      {text}
    </div>
  );
}
