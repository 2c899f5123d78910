import type { ReactNode } from "react";
import { useCapture, useEchoState, usePlayback } from "../../hooks/useEcho";
import { lookOf } from "../../state/derive";
import { Orb } from "../../ui/Orb";
import styles from "./Head.module.css";
import { StatusLine } from "./StatusLine";
import { useMood, useOrbLevel } from "./useMood";

/** The look's small orb with the status line; what can be done beside it. In the desktop window it is the handle to drag by. */
export function Head({ children, drag = false }: { children: ReactNode; drag?: boolean }): ReactNode {
  const mood = useMood();
  const level = useOrbLevel();
  const muted = useCapture((status) => status.muted && status.state !== "closed");
  const ducked = usePlayback((status) => status.ducked && status.speaking);
  const name = useEchoState((state) => lookOf(state)?.name ?? "Echo");
  return (
    <header className={styles.head} data-drag={drag}>
      <Orb size={36} mood={mood} level={level} muted={muted} ducked={ducked} />
      <div className={styles.words}>
        <h1 className={styles.name}>{name}</h1>
        <StatusLine />
      </div>
      <div className={styles.acts}>{children}</div>
    </header>
  );
}
