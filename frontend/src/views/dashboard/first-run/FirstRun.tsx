import { ArrowRight } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import type { Settings } from "../../../bridge/words";
import { useEcho, useEchoState } from "../../../hooks/useEcho";
import { Button } from "../../../ui/Button";
import { Orb } from "../../../ui/Orb";
import { ProviderFields } from "../settings/AnswersSection";
import { LookPicker } from "../settings/LookSection";
import { MicrophoneTest } from "../settings/SoundTests";
import styles from "./FirstRun.module.css";

const steps = [
  {
    title: "Can Echo hear you?",
    words: "You talk by holding a button. Try the microphone; without one you can type instead.",
  },
  {
    title: "How should Echo sound?",
    words: "Each look has its voice, its colour and its manner. Listen, and choose one.",
  },
  {
    title: "Who should answer?",
    words: "Echo answers some things by itself. For everything else it asks a model of your choice.",
  },
];

/** The first start: three short steps, each of which can be passed over, and then a conversation. */
export function FirstRun({ settings }: { settings: Settings }): ReactNode {
  const echo = useEcho();
  const [, navigate] = useLocation();
  const [step, setStep] = useState(0);
  const heading = useRef<HTMLHeadingElement | null>(null);
  const last = step === steps.length - 1;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new step is read from its heading.
  useEffect(() => heading.current?.focus(), [step]);
  const end = () => {
    navigate("/voice");
    void echo.patch({ companion: { welcomed: true } });
  };
  const shown = steps[step];
  if (shown === undefined) return null;
  return (
    <main className={styles.page}>
      <div className={styles.panel}>
        <header className={styles.head}>
          <Orb size={56} mood="idle" />
          <p className={styles.count}>{`Step ${step + 1} of ${steps.length}`}</p>
          <h1 ref={heading} tabIndex={-1}>
            {shown.title}
          </h1>
          <p>{shown.words}</p>
        </header>
        <div className={styles.body}>
          {step === 0 && <MicrophoneTest />}
          {step === 1 && <LookPicker settings={settings} />}
          {step === 2 && <Model settings={settings} />}
        </div>
        <footer className={styles.foot}>
          <Button kind="plain" onClick={end}>
            Skip all
          </Button>
          <span className={styles.space} />
          {step > 0 && (
            <Button kind="plain" onClick={() => setStep(step - 1)}>
              Back
            </Button>
          )}
          {!last && (
            <Button kind="main" onClick={() => setStep(step + 1)}>
              Next
            </Button>
          )}
          {last && (
            <Button kind="main" icon={<ArrowRight size={16} aria-hidden />} onClick={end}>
              Start talking
            </Button>
          )}
        </footer>
      </div>
    </main>
  );
}

function Model({ settings }: { settings: Settings }): ReactNode {
  const echo = useEcho();
  const models = useEchoState((state) => state.models);
  useEffect(() => echo.loadModels(), [echo]);
  const found = models?.models.filter(({ provider }) => provider !== "builtin") ?? [];
  return (
    <>
      {models !== null && settings.reasoning.provider === "auto" && (
        <p className={styles.found}>
          {found.length > 0
            ? `Found on this machine: ${found.map(({ name }) => name).join(", ")}. Echo uses it.`
            : "No model was found on this machine. Echo begins with its built-in skills: time, arithmetic, your notes and chats."}
        </p>
      )}
      <ProviderFields settings={settings} />
    </>
  );
}
