import { type ReactNode, useRef, useState } from "react";
import { useChats } from "../../../hooks/chatContext";

const longestTitle = 200;

export interface RenameProps {
  id: string;
  title: string;
  className: string | undefined;
  onDone: () => void;
}

/** A chat's title as a field: Enter keeps what it says, Esc leaves it as it was. */
export function Rename({ id, title, className, onDone }: RenameProps): ReactNode {
  const chats = useChats();
  const [words, setWords] = useState(title);
  const done = useRef(false);
  const end = (keep: boolean) => {
    if (done.current) return;
    done.current = true;
    const wanted = words.trim();
    if (keep && wanted !== "" && wanted !== title) void chats.rename(id, wanted);
    onDone();
  };
  return (
    <input
      ref={(element) => {
        // Focused once it is there: a menu that closes gives the focus back to its button first.
        if (element === null) return;
        const frame = requestAnimationFrame(() => {
          element.focus();
          element.select();
        });
        return () => cancelAnimationFrame(frame);
      }}
      className={className}
      aria-label="Title"
      value={words}
      maxLength={longestTitle}
      onChange={(event) => setWords(event.target.value)}
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && !event.nativeEvent.isComposing) end(true);
        if (event.key === "Escape") {
          event.stopPropagation();
          end(false);
        }
      }}
    />
  );
}
