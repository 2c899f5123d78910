import type { ReactNode } from "react";
import type { Settings, Theme } from "../../../bridge/words";
import { useChoice } from "../../../hooks/settingsSave";
import { Segmented } from "../../../ui/Segmented";
import styles from "./CompanionSection.module.css";
import { Row, SwitchField, TextField } from "./Field";
import { Section } from "./Section";

const themes: { value: Theme; words: string }[] = [
  { value: "system", words: "As the system" },
  { value: "light", words: "Light" },
  { value: "dark", words: "Dark" },
];

export function CompanionSection({ id, settings }: { id: string; settings: Settings }): ReactNode {
  const { companion, voice } = settings;
  const { shown, choose, save } = useChoice(settings.theme, (theme: Theme) => ({ theme }));
  return (
    <Section
      id={id}
      title="The desktop app"
      words="The floating Echo, its keys and its devices. The colours are this page's too."
    >
      <Row label="Colours" save={save}>
        <Segmented label="Colours" options={themes} value={shown} onChange={choose} />
      </Row>
      <SwitchField
        label="Floating Echo"
        consequence="Shows Echo when the app opens. Off, it stays in the tray until you ask for it."
        on={companion.floating}
        patch={(floating) => ({ companion: { floating } })}
      />
      <SwitchField
        label="Above other windows"
        consequence="Echo stays in sight whatever else you open. Off, other windows may cover it."
        on={companion.always_on_top}
        patch={(always_on_top) => ({ companion: { always_on_top } })}
      />
      <Row
        label="“Hey Echo”"
        consequence="Will listen on this device for those two words alone, and keep nothing of what it hears before them. A woken question is saved like any other."
      >
        <span className={styles.later}>Comes with the desktop app later</span>
      </Row>
      <TextField
        label="Key that talks from anywhere"
        consequence="Held, it opens Echo and listens, whatever program is in front. Empty: none."
        value={voice.global_key}
        placeholder="None"
        patch={(global_key) => ({ voice: { global_key } })}
      />
      <TextField
        label="Microphone of the app"
        consequence="Its name, as “echo-companion doctor” lists it. One that is missing gives way to the system's own."
        value={voice.input_device}
        placeholder="The system's own"
        patch={(input_device) => ({ voice: { input_device } })}
      />
      <TextField
        label="Loudspeaker of the app"
        consequence="Its name, as “echo-companion doctor” lists it. One that is missing gives way to the system's own."
        value={voice.output_device}
        placeholder="The system's own"
        patch={(output_device) => ({ voice: { output_device } })}
      />
    </Section>
  );
}
