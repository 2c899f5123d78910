import { type ReactNode, useState } from "react";
import type { Settings } from "../../../bridge/words";
import { useSave } from "../../../hooks/settingsSave";
import { Cards, Row, SwitchField } from "./Field";
import { Section } from "./Section";
import { MicrophoneTest, SpeakerTest } from "./SoundTests";
import styles from "./TalkSection.module.css";

export function TalkSection({ id, settings }: { id: string; settings: Settings }): ReactNode {
  const { voice } = settings;
  return (
    <Section id={id} title="Talking">
      <Cards
        label="How you talk to Echo"
        value={voice.mode}
        options={[
          {
            value: "push_to_talk",
            words: "Hold to talk",
            consequence: "Echo hears you while you hold the button or Space, and at no other time.",
          },
          {
            value: "hands_free",
            words: "Hands-free",
            consequence: "Press once, then just speak. The microphone stays open until you press again or leave.",
          },
        ]}
        patch={(mode) => ({ voice: { mode } })}
      />
      {voice.mode === "hands_free" && <Patience ms={voice.patience_ms} />}
      <SwitchField
        label="Save conversations"
        consequence="Questions and answers are kept as text in Chat. Your voice never is. Turned off, it stops with the next answer; turned on again, it saves the next conversation."
        on={voice.save_conversations}
        patch={(save_conversations) => ({ voice: { save_conversations } })}
      />
      <MicrophoneTest />
      <SpeakerTest settings={settings} />
    </Section>
  );
}

/** How long a pause ends what one says, as a slider that saves when it is let go. */
function Patience({ ms }: { ms: number }): ReactNode {
  const save = useSave();
  const [shown, setShown] = useState<number | null>(null);
  const value = shown ?? ms;
  const keep = async () => {
    if (shown === null || shown === ms) return;
    await save.save({ voice: { patience_ms: shown } });
    setShown(null);
  };
  return (
    <Row
      label="Patience"
      of="patience"
      consequence={`A pause of ${(value / 1000).toFixed(1)} seconds tells Echo that you are done. Longer lets you think; shorter answers sooner.`}
      save={save}
    >
      <input
        id="patience"
        type="range"
        className={styles.range}
        min={300}
        max={4000}
        step={100}
        value={value}
        aria-valuetext={`${(value / 1000).toFixed(1)} seconds`}
        onChange={(event) => setShown(Number(event.target.value))}
        onPointerUp={() => void keep()}
        onKeyUp={() => void keep()}
        onBlur={() => void keep()}
      />
    </Row>
  );
}
