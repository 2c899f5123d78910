import { Mic, Square, Volume2 } from "lucide-react";
import type { ReactNode } from "react";
import type { Settings } from "../../../bridge/words";
import { useMicrophoneTest, usePlaying } from "../../../hooks/settingsSound";
import { useEchoState } from "../../../hooks/useEcho";
import { Button } from "../../../ui/Button";
import { Meter } from "../../../ui/Meter";
import { Row } from "./Field";
import styles from "./SoundTests.module.css";

/** Shows that this browser's microphone hears. Nothing leaves the page. */
export function MicrophoneTest(): ReactNode {
  const test = useMicrophoneTest();
  const words = () => {
    if (test.problem !== "") return <span className={styles.problem}>{test.problem}</span>;
    if (test.state === "off") return test.heard ? "It heard you." : "";
    if (test.state === "opening") return "Opening the microphone. The browser may ask you first.";
    return test.heard ? "It hears you." : "Say something.";
  };
  return (
    <Row
      label="Microphone test"
      consequence="Shows how loud this browser hears you. What you say stays on this page. Which microphone it is, the browser decides."
      wide
    >
      <div className={styles.test}>
        {test.state === "off" ? (
          <Button icon={<Mic size={15} aria-hidden />} onClick={test.start}>
            Test the microphone
          </Button>
        ) : (
          <Button icon={<Square size={12} fill="currentColor" aria-hidden />} onClick={test.stop}>
            Stop the test
          </Button>
        )}
        {test.state === "on" && (
          <div className={styles.meter}>
            <Meter label="Microphone level" subscribe={test.level} />
          </div>
        )}
        <span role="status" className={styles.words}>
          {words()}
        </span>
      </div>
    </Row>
  );
}

/** Plays two notes, and says something in the voice in use. */
export function SpeakerTest({ settings }: { settings: Settings }): ReactNode {
  const playing = usePlaying();
  const looks = useEchoState((state) => state.looks);
  const look = looks.find(({ id }) => id === settings.look);
  const own = settings.speech.synthesizer.voice;
  const speak = () =>
    playing.voice("voice", own === "" ? (look?.voice ?? "") : own, "This is how I sound. If you hear me, all is well.");
  return (
    <Row label="Speaker test" consequence="Plays through this computer's default output." wide>
      <div className={styles.test}>
        <Button icon={<Volume2 size={15} aria-hidden />} onClick={playing.tone}>
          Play two notes
        </Button>
        <Button
          icon={<Volume2 size={15} aria-hidden />}
          onClick={() => (playing.playing === "voice" ? playing.stop() : speak())}
        >
          {playing.playing === "voice" ? "Stop" : "Hear this voice"}
        </Button>
        <span role="status" className={styles.words}>
          {playing.problem !== "" && (
            <span className={styles.problem}>{`The voice could not be heard. ${playing.problem}`}</span>
          )}
        </span>
      </div>
    </Row>
  );
}
