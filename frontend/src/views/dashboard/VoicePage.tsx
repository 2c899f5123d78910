import type { ReactNode } from "react";
import { useEcho, useEchoState } from "../../hooks/useEcho";
import { useKeys } from "../../hooks/useKeys";
import { Button } from "../../ui/Button";
import { Notice } from "../../ui/Notice";
import { Guard } from "../Guard";
import { Conversation } from "../talk/Conversation";
import { EchoMenu } from "../talk/EchoMenu";
import { Foot } from "../talk/Foot";
import { Head } from "../talk/Head";
import styles from "./VoicePage.module.css";

export interface VoicePageProps {
  /** The chat that Continue with Echo brought here. It is carried on by a click, not before. */
  carry: { id: string; title: string } | null;
  onCarried: () => void;
}

/** The same conversation as the floating window's, in the page. */
export function VoicePage({ carry, onCarried }: VoicePageProps): ReactNode {
  const echo = useEcho();
  useKeys(echo);
  return (
    <main className={styles.page}>
      <Head>
        <EchoMenu />
      </Head>
      {carry !== null && <Carry carry={carry} onCarried={onCarried} />}
      <Guard what="What was said">
        <Conversation />
      </Guard>
      <Foot />
    </main>
  );
}

function Carry({ carry, onCarried }: { carry: { id: string; title: string }; onCarried: () => void }): ReactNode {
  const echo = useEcho();
  const here = useEchoState((state) => state.talk.chat?.id === carry.id && state.link.name === "attached");
  if (here) return null;
  const go = (request: { chat: string } | { new: true }) => {
    void echo.connect(request).then((attached) => {
      if (attached) onCarried();
    });
  };
  return (
    <div className={styles.carry}>
      <Notice
        kind="accent"
        actions={
          <>
            <Button small kind="main" onClick={() => go({ chat: carry.id })}>{`Continue "${carry.title}"`}</Button>
            <Button small kind="plain" onClick={() => go({ new: true })}>
              New conversation
            </Button>
          </>
        }
      >
        Carry this chat on by voice.
      </Notice>
    </div>
  );
}
