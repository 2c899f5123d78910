import { type ReactNode, useEffect, useRef, useState } from "react";
import { useEcho, useEchoState } from "../../../hooks/useEcho";
import { Button } from "../../../ui/Button";
import { Notice } from "../../../ui/Notice";
import { AnswersSection } from "./AnswersSection";
import { CompanionSection } from "./CompanionSection";
import { DataSection } from "./DataSection";
import { EnginesSection } from "./EnginesSection";
import { LookSection } from "./LookSection";
import styles from "./SettingsPage.module.css";
import { SpeechSection } from "./SpeechSection";
import { TalkSection } from "./TalkSection";
import { WorkspaceSection } from "./WorkspaceSection";

const places = [
  { id: "ready", words: "What is ready" },
  { id: "look", words: "Look and voice" },
  { id: "talk", words: "Talking" },
  { id: "answers", words: "Answers" },
  { id: "speech", words: "Hearing and speaking" },
  { id: "companion", words: "The desktop app" },
  { id: "workspaces", words: "Workspaces" },
  { id: "data", words: "Your data" },
];

/** Every setting in plain words, with its consequence. */
export function SettingsPage(): ReactNode {
  const echo = useEcho();
  const settings = useEchoState((state) => state.settings);
  const problem = useEchoState((state) => state.problem);
  const scroller = useRef<HTMLElement | null>(null);
  const here = useHere(scroller, settings !== null);
  if (settings === null) {
    return (
      <main className={styles.none}>
        {problem !== null && (
          <Notice kind="danger" actions={<Button onClick={() => window.location.reload()}>Try again</Button>}>
            {problem.message}
          </Notice>
        )}
      </main>
    );
  }
  const go = (id: string) => document.getElementById(id)?.scrollIntoView({ block: "start", behavior: "smooth" });
  return (
    <main className={styles.page} ref={scroller} data-kind={echo.transport.kind}>
      <nav className={styles.nav} aria-label="Settings">
        <h1>Settings</h1>
        <ul>
          {places.map(({ id, words }) => (
            <li key={id}>
              <button type="button" aria-current={here === id ? "true" : undefined} onClick={() => go(id)}>
                {words}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <div className={styles.body}>
        <EnginesSection id="ready" />
        <LookSection id="look" settings={settings} />
        <TalkSection id="talk" settings={settings} />
        <AnswersSection id="answers" settings={settings} />
        <SpeechSection id="speech" settings={settings} />
        <CompanionSection id="companion" settings={settings} />
        <WorkspaceSection id="workspaces" settings={settings} />
        <DataSection id="data" />
      </div>
    </main>
  );
}

/** Which section is read. */
function useHere(scroller: { current: HTMLElement | null }, ready: boolean): string {
  const [here, setHere] = useState(places[0]?.id ?? "");
  useEffect(() => {
    const element = scroller.current;
    if (element === null || !ready) return;
    const look = () => {
      const top = element.getBoundingClientRect().top;
      const end = element.scrollTop + element.clientHeight >= element.scrollHeight - 4;
      const passed = places.filter(({ id }) => {
        const section = document.getElementById(id);
        return section !== null && section.getBoundingClientRect().top - top < 140;
      });
      setHere((end ? places.at(-1) : (passed.at(-1) ?? places[0]))?.id ?? "");
    };
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, [scroller, ready]);
  return here;
}
