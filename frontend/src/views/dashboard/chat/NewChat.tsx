import type { ReactNode, RefObject } from "react";
import { useChats } from "../../../hooks/chatContext";
import { Orb } from "../../../ui/Orb";
import styles from "./NewChat.module.css";

const suggestions = [
  "What time is it in Tokyo?",
  "What is 15% of 80?",
  "What do my notes say about travel?",
  "What can you do?",
];

/** Before the first question: what one might ask. */
export function NewChat({ field }: { field: RefObject<HTMLTextAreaElement | null> }): ReactNode {
  const chats = useChats();
  return (
    <div className={styles.new}>
      <Orb size={72} mood="idle" />
      <h2>What would you like to know?</h2>
      <ul className={styles.suggestions}>
        {suggestions.map((words) => (
          <li key={words}>
            <button
              type="button"
              onClick={() => {
                chats.ask(words);
                field.current?.focus();
              }}
            >
              {words}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
