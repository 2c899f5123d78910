import { CircleAlert, CircleCheck, LoaderCircle } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import type { Engine } from "../../../bridge/words";
import { useStatus } from "../../../hooks/settingsStatus";
import { useEcho, useEchoState } from "../../../hooks/useEcho";
import styles from "./EnginesSection.module.css";
import { Section } from "./Section";

/** Three engines: what each is for, how it stands, and the one step that puts it right. */
export function EnginesSection({ id }: { id: string }): ReactNode {
  const echo = useEcho();
  const status = useStatus();
  const models = useEchoState((state) => state.models);
  useEffect(() => echo.loadModels(), [echo]);
  // Said once: the engine that answers now says its own problem.
  const others = (models?.problems ?? []).filter(({ problem }) => problem !== status?.engines.reasoning.problem);
  return (
    <Section id={id} title="What is ready" words="Speech engines start when you talk and rest when you are done.">
      <div>
        <ul className={styles.engines}>
          <EngineRow what="Hearing" engine={status?.engines.recognizer} />
          <EngineRow what="Speaking" engine={status?.engines.synthesizer} />
          <EngineRow what="Answering" engine={status?.engines.reasoning} />
          {others.map((engine) => (
            <EngineRow key={engine.name} what="Could not be asked" engine={engine} />
          ))}
        </ul>
        {status !== null && <p className={styles.version}>{`Echo ${status.version}`}</p>}
      </div>
    </Section>
  );
}

export function stateWords(engine: Engine): string {
  switch (engine.state) {
    case "ready":
      return "Ready";
    case "starting":
      return "Starting";
    case "stopped":
      return engine.problem === "" ? "Rests until you talk" : "Not ready";
    case "failed":
      return "Not ready";
  }
}

export function EngineRow({ what, engine }: { what: string; engine: Engine | undefined }): ReactNode {
  const state = engine === undefined ? "unknown" : engine.problem === "" ? engine.state : "failed";
  return (
    <li className={styles.engine} data-state={state}>
      <StateIcon state={state} />
      <div className={styles.words}>
        <span className={styles.what}>{what}</span>
        <span className={styles.name}>{engine?.name ?? ""}</span>
        {engine !== undefined && engine.problem !== "" && <p className={styles.fix}>{engine.problem}</p>}
      </div>
      <span className={styles.state}>{engine === undefined ? "Asking" : stateWords(engine)}</span>
    </li>
  );
}

function StateIcon({ state }: { state: string }): ReactNode {
  switch (state) {
    case "failed":
      return <CircleAlert size={18} aria-hidden />;
    case "starting":
    case "unknown":
      return <LoaderCircle size={18} aria-hidden className={styles.spin} />;
    default:
      return <CircleCheck size={18} aria-hidden />;
  }
}
