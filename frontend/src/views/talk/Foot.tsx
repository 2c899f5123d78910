import { Hand, Mic, MicOff, Square } from "lucide-react";
import { type ReactNode, useRef } from "react";
import type { Mode } from "../../bridge/words";
import { useCapture, useEcho, useEchoState, usePlayback } from "../../hooks/useEcho";
import { canStop } from "../../state/derive";
import { Button, IconButton } from "../../ui/Button";
import { Notice } from "../../ui/Notice";
import { Segmented } from "../../ui/Segmented";
import { Tip } from "../../ui/Tip";
import styles from "./Foot.module.css";
import { QuestionField } from "./QuestionField";
import { TalkButton } from "./TalkButton";

const modes = [
  { value: "push_to_talk" as const, words: "Hold to talk", icon: <Hand size={13} aria-hidden /> },
  { value: "hands_free" as const, words: "Hands-free", icon: <Mic size={13} aria-hidden /> },
];

/** Where one talks, types and stops. */
export function Foot(): ReactNode {
  const echo = useEcho();
  const mode: Mode = useEchoState((state) => state.settings?.voice.mode ?? "push_to_talk");
  const field = useRef<HTMLTextAreaElement | null>(null);
  return (
    <footer className={styles.foot}>
      <Problems />
      <div className={styles.row}>
        <TalkButton mode={mode} />
        <StopButton onStop={() => field.current?.focus()} />
        <QuestionField field={field} />
      </div>
      <div className={styles.under}>
        <Segmented label="How to talk" options={modes} value={mode} onChange={echo.setMode} />
        <Hint mode={mode} />
      </div>
    </footer>
  );
}

/** Stop reply is there whenever Echo answers, waits or speaks. */
function StopButton({ onStop }: { onStop: () => void }): ReactNode {
  const echo = useEcho();
  const talk = useEchoState((state) => state.talk);
  const speaking = usePlayback((status) => status.speaking);
  const shown = canStop(talk, { turn: 0, sentence: -1, speaking, level: 0, ducked: false, problem: "" });
  if (!shown) return null;
  const stop = () => {
    echo.cancel();
    onStop();
  };
  return (
    <Tip words="Stop reply (Ctrl+.)">
      <button type="button" className={styles.stop} aria-label="Stop reply" onClick={stop}>
        <Square size={15} fill="currentColor" aria-hidden />
      </button>
    </Tip>
  );
}

function Hint({ mode }: { mode: Mode }): ReactNode {
  const echo = useEcho();
  const muted = useCapture((status) => status.muted);
  const open = useEchoState((state) => state.handsFree);
  if (mode === "push_to_talk") {
    return (
      <span className={styles.hint}>
        <kbd>Space</kbd> to talk
      </span>
    );
  }
  if (!open) return <span className={styles.hint}>Press to listen</span>;
  return (
    <IconButton
      label={muted ? "Microphone muted. Listen again" : "Mute the microphone"}
      small
      aria-pressed={muted}
      onClick={() => echo.transport.capture.setMuted(!muted)}
    >
      <MicOff size={16} aria-hidden />
    </IconButton>
  );
}

/** What went wrong that belongs to no answer. */
function Problems(): ReactNode {
  const echo = useEcho();
  const app = useEchoState((state) => state.problem);
  const refused = useEchoState((state) => state.talk.problem);
  const saving = useEchoState((state) => state.talk.savingReason);
  const microphone = useCapture((status) => (status.state === "problem" ? status.problem : ""));
  const sound = usePlayback((status) => status.problem);
  return (
    <>
      {sound === "blocked" && (
        <Notice
          kind="accent"
          live
          actions={
            <Button small kind="main" onClick={() => echo.transport.speaker.resume()}>
              Click to hear
            </Button>
          }
        >
          The browser holds sound back.
        </Notice>
      )}
      {sound !== "" && sound !== "blocked" && (
        <Notice kind="warn" live>
          {sound}
        </Notice>
      )}
      {microphone !== "" && (
        <Notice kind="warn" live>
          {microphone}
        </Notice>
      )}
      {saving === "deleted" && <Notice live>This chat was deleted. The rest of this conversation is not saved.</Notice>}
      {saving === "error" && (
        <Notice kind="warn" live>
          Echo could not save this. It keeps the text and tries again.
        </Notice>
      )}
      {refused !== null && (
        <Notice kind="warn" live onDismiss={() => echo.dismiss("talk")}>
          {refused.message}
        </Notice>
      )}
      {app !== null && app.message !== refused?.message && (
        <Notice kind="warn" live onDismiss={() => echo.dismiss("problem")}>
          {app.message}
        </Notice>
      )}
    </>
  );
}
