import { ArrowUp, Square } from "lucide-react";
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useState } from "react";
import { useChats, useChatsState, useDrafts } from "../../../hooks/chatContext";
import { IconButton } from "../../../ui/Button";
import field from "../../talk/QuestionField.module.css";
import { ChatModel } from "./ChatModel";
import styles from "./Composer.module.css";

const longest = 32_000;

/** Where one types, with Stop in the place of Ask while Echo answers. What could not be asked stays in it, and drafts are kept. */
export function Composer({ field: ref }: { field: RefObject<HTMLTextAreaElement | null> }): ReactNode {
  const chats = useChats();
  const drafts = useDrafts();
  const id = useChatsState((state) => state.open.id);
  const live = useChatsState((state) => state.open.live !== null);
  const returned = useChatsState((state) => state.open.returned);
  const [text, setText] = useState(() => drafts.get(id));

  useEffect(() => {
    if (returned === null) return;
    setText((now) => (now === "" ? returned : now));
    drafts.set(id, returned);
    chats.dismiss("returned");
  }, [returned, chats, drafts, id]);
  // With a keyboard, one who opens a chat means to type; a finger that opens one means to read.
  useEffect(() => {
    if (window.matchMedia("(hover: hover)").matches && !(document.activeElement instanceof HTMLInputElement)) {
      ref.current?.focus({ preventScroll: true });
    }
  }, [ref]);

  const send = () => {
    const question = text.trim();
    if (question === "" || [...question].length > longest) return;
    // The draft is kept until the server has the question.
    if (chats.ask(question)) setText("");
  };
  const key = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const over = text.length > longest ? [...text].length - longest : 0;
  return (
    <div className={styles.foot}>
      <div className={field.field}>
        <div className={field.grow} data-text={text}>
          <textarea
            ref={ref}
            rows={1}
            className={field.text}
            aria-label="Your question"
            placeholder="Ask Echo"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              drafts.set(id, event.target.value);
            }}
            onKeyDown={key}
          />
        </div>
        {over > 0 && <span className={field.over}>{`${over} too many`}</span>}
        <ChatModel />
        {live ? (
          <IconButton
            label="Stop reply"
            small
            className={styles.stop}
            disabled={id === ""}
            onClick={() => chats.stop()}
          >
            <Square size={12} fill="currentColor" aria-hidden />
          </IconButton>
        ) : (
          <IconButton label="Ask" small className={field.send} disabled={text.trim() === "" || over > 0} onClick={send}>
            <ArrowUp size={17} aria-hidden />
          </IconButton>
        )}
      </div>
    </div>
  );
}
