import { Square, Volume2 } from "lucide-react";
import { type CSSProperties, type ReactNode, useId } from "react";
import type { Look, Settings } from "../../../bridge/words";
import { useChoice } from "../../../hooks/settingsSave";
import { type Playing, usePlaying } from "../../../hooks/settingsSound";
import { useEchoState } from "../../../hooks/useEcho";
import { accentTokens } from "../../../ui/accent";
import { IconButton } from "../../../ui/Button";
import { Notice } from "../../../ui/Notice";
import { Orb } from "../../../ui/Orb";
import { personaWords } from "../../talk/EchoMenu";
import { Outcome, TextField } from "./Field";
import styles from "./LookSection.module.css";
import { Section } from "./Section";

export function LookSection({ id, settings }: { id: string; settings: Settings }): ReactNode {
  const voice = settings.speech.synthesizer.voice;
  return (
    <Section
      id={id}
      title="Look and voice"
      words="A look is a name, a voice, a colour and a manner of speaking. Chosen during an answer, it takes over after it."
    >
      <LookPicker settings={settings} />
      <TextField
        label="Another voice"
        consequence="Takes the place of the look's own voice. Empty, each look speaks with its own."
        value={voice}
        placeholder="The look's own"
        suggestions={settings.speech.synthesizer.engine === "builtin" ? ["jenny", "alan"] : ["alloy", "nova", "onyx"]}
        patch={(next) => ({ speech: { synthesizer: { voice: next } } })}
      />
    </Section>
  );
}

/** The looks, each with its orb, and how it sounds. */
export function LookPicker({ settings }: { settings: Settings }): ReactNode {
  const looks = useEchoState((state) => state.looks);
  const { shown, choose, save } = useChoice(settings.look, (look: string) => ({ look }));
  const playing = usePlaying();
  const name = useId();
  return (
    <fieldset className={styles.looks}>
      <legend className="hidden-visually">Look</legend>
      {looks.map((look) => (
        <div key={look.id} className={styles.look} data-chosen={look.id === shown}>
          <label className={styles.choice}>
            <input
              type="radio"
              name={name}
              className="hidden-visually"
              checked={look.id === shown}
              onChange={() => choose(look.id)}
            />
            <Swatch look={look} />
            <span className={styles.words}>
              <b>{look.name}</b>
              <span>{personaWords(look.persona)}</span>
            </span>
          </label>
          <Hear look={look} own={settings.speech.synthesizer.voice} playing={playing} />
        </div>
      ))}
      <Outcome save={save} />
      {playing.problem !== "" && (
        <Notice kind="danger" live>{`The voice could not be heard. ${playing.problem}`}</Notice>
      )}
    </fieldset>
  );
}

function Swatch({ look }: { look: Look }): ReactNode {
  const scheme = document.documentElement.dataset.theme === "dark" ? "dark" : "light";
  return (
    <span className={styles.swatch} style={accentTokens(look.accent, scheme) as CSSProperties}>
      <Orb size={34} mood="idle" />
    </span>
  );
}

function Hear({ look, own, playing }: { look: Look; own: string; playing: Playing }): ReactNode {
  const on = playing.playing === look.id;
  return (
    <IconButton
      label={on ? "Stop" : `Hear this voice: ${look.name}`}
      small
      onClick={() =>
        on
          ? playing.stop()
          : playing.voice(look.id, own === "" ? look.voice : own, `Hello, I am ${look.name}. Ask me anything you like.`)
      }
    >
      {on ? <Square size={13} fill="currentColor" aria-hidden /> : <Volume2 size={17} aria-hidden />}
    </IconButton>
  );
}
