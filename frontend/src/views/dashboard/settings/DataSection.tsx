import type { ReactNode } from "react";
import { Link } from "wouter";
import { useStatus } from "../../../hooks/settingsStatus";
import { CopyButton } from "../../answer/CopyButton";
import styles from "./DataSection.module.css";
import { Section } from "./Section";

/** Where everything lies, and how to be rid of it. */
export function DataSection({ id }: { id: string }): ReactNode {
  const shown = useStatus()?.data ?? "";
  return (
    <Section id={id} title="Your data" words="Everything that Echo keeps is in one folder on this machine.">
      <div className={styles.words}>
        {shown !== "" && (
          <p className={styles.path}>
            <code>{shown}</code>
            <CopyButton label="Copy the folder's name" text={() => shown} />
          </p>
        )}
        <dl>
          <dt>Chats</dt>
          <dd>
            One file for each workspace, <code>workspaces/NAME/chat.db</code>. Delete single chats on the{" "}
            <Link href="/chat">Chat</Link> page; quit Echo and delete the file to be rid of all of them.
          </dd>
          <dt>Your voice</dt>
          <dd>Never kept. What you say is turned into words and dropped.</dd>
          <dt>Settings and keys</dt>
          <dd>
            <code>settings.json</code> and, readable by you alone, <code>secrets.json</code>.
          </dd>
          <dt>Everything</dt>
          <dd>Quit Echo, then delete the folder. The next start begins afresh.</dd>
        </dl>
      </div>
    </Section>
  );
}
