import { AudioLines, Mic, MicOff } from "lucide-react";
import { type PointerEvent, type ReactNode, type RefObject, useRef } from "react";
import type { Mode } from "../../bridge/words";
import { useCapture, useEcho, useEchoState } from "../../hooks/useEcho";
import { useLevel } from "../../ui/Meter";
import styles from "./TalkButton.module.css";
import { useMicrophoneLevel } from "./useMood";

function labelOf(mode: Mode, on: boolean): string {
  if (mode === "push_to_talk") return on ? "Release to send" : "Hold to talk";
  return on ? "Stop listening" : "Start listening";
}

/** Held, or pressed once in hands-free. Its ring follows the microphone. */
export function TalkButton({ mode }: { mode: Mode }): ReactNode {
  const echo = useEcho();
  const ring = useLevel(useMicrophoneLevel());
  const state = useCapture((status) => status.state);
  const muted = useCapture((status) => status.muted);
  const handsFree = useEchoState((now) => now.handsFree);
  const holding = useRef(false);
  const on = mode === "hands_free" ? handsFree : state !== "closed" && state !== "problem";

  const press = (event: PointerEvent<HTMLButtonElement>) => {
    if (mode !== "push_to_talk" || event.button !== 0) return;
    // Where the pointer goes meanwhile, letting it go is letting go of the button.
    event.currentTarget.setPointerCapture(event.pointerId);
    holding.current = true;
    echo.press();
  };
  const release = () => {
    if (!holding.current) return;
    holding.current = false;
    echo.release();
  };
  return (
    <button
      ref={ring as RefObject<HTMLButtonElement | null>}
      type="button"
      className={styles.talk}
      aria-label={labelOf(mode, on)}
      aria-pressed={on}
      data-state={state}
      data-muted={muted}
      onPointerDown={press}
      onPointerUp={release}
      onPointerCancel={release}
      onLostPointerCapture={release}
      onContextMenu={(event) => event.preventDefault()}
      onClick={() => {
        if (mode === "hands_free") echo.toggleHandsFree();
      }}
      onKeyDown={(event) => {
        const talks = event.code === "Space" || event.code === "Enter";
        if (mode !== "push_to_talk" || !talks) return;
        event.preventDefault();
        if (event.repeat || holding.current) return;
        holding.current = true;
        echo.press();
      }}
      onKeyUp={(event) => {
        if (event.code === "Space" || event.code === "Enter") release();
      }}
      onBlur={release}
    >
      <span className={styles.ring} />
      <span className={styles.face}>{iconOf(mode, on, muted)}</span>
    </button>
  );
}

function iconOf(mode: Mode, on: boolean, muted: boolean): ReactNode {
  if (on && muted) return <MicOff size={21} aria-hidden />;
  if (on && mode === "hands_free") return <AudioLines size={21} aria-hidden />;
  return <Mic size={21} aria-hidden />;
}
