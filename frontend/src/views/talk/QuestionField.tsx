import { ArrowUp } from "lucide-react";
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useState } from "react";
import { useEcho, useEchoState } from "../../hooks/useEcho";
import { isBusy } from "../../state/derive";
import { IconButton } from "../../ui/Button";
import styles from "./QuestionField.module.css";

/** Where one types. What could not be asked stays in it. */
export function QuestionField({ field }: { field: RefObject<HTMLTextAreaElement | null> }): ReactNode {
  const echo = useEcho();
  const [text, setText] = useState("");
  const asking = useEchoState((state) => state.talk.asking !== null);
  const busy = useEchoState((state) => isBusy(state.talk));
  const limit = useEchoState((state) => state.talk.limits.text);
  const returned = useEchoState((state) => state.talk.returned);

  // Typing may begin at once, and Space talks while the field is empty.
  useEffect(() => field.current?.focus({ preventScroll: true }), [field]);

  useEffect(() => {
    if (returned === null) return;
    setText((now) => (now === "" ? returned.text : now));
    echo.dismiss("returned");
  }, [returned, echo]);

  const send = () => {
    const question = text.trim();
    if (question === "") return;
    setText("");
    void echo.ask(question).then((asked) => {
      if (!asked) setText((now) => (now === "" ? question : now));
    });
  };
  const key = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const length = [...text].length;
  return (
    <div className={styles.field}>
      <div className={styles.grow} data-text={text}>
        <textarea
          ref={field}
          data-question
          rows={1}
          className={styles.text}
          aria-label={asking ? "Your answer" : "Your question"}
          placeholder={placeholderOf(asking, busy)}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={key}
        />
      </div>
      {length > limit && <span className={styles.over}>{`${length - limit} too many`}</span>}
      <IconButton
        label="Ask"
        small
        className={styles.send}
        disabled={text.trim() === "" || length > limit}
        onClick={send}
      >
        <ArrowUp size={17} aria-hidden />
      </IconButton>
    </div>
  );
}

function placeholderOf(asking: boolean, busy: boolean): string {
  if (asking) return "Answer Echo";
  return busy ? "Ask the next question" : "Ask Echo";
}
