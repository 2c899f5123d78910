import { FolderOpen, Plus } from "lucide-react";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import type { Settings, Workspace } from "../../../bridge/words";
import { useChats } from "../../../hooks/chatContext";
import { fieldWords, useSave } from "../../../hooks/settingsSave";
import { useWorkspaces, type WorkspaceList } from "../../../hooks/settingsStatus";
import { Button } from "../../../ui/Button";
import { Notice } from "../../../ui/Notice";
import { Outcome } from "./Field";
import field from "./Field.module.css";
import { Section } from "./Section";
import styles from "./WorkspaceSection.module.css";

export function WorkspaceSection({ id, settings }: { id: string; settings: Settings }): ReactNode {
  const list = useWorkspaces();
  const save = useSave();
  const chats = useChats();
  const change = async (workspace: string) => {
    await chats.settle(); // a chat that is being deleted is in the workspace that is left
    await save.save({ workspace });
  };
  return (
    <Section
      id={id}
      title="Workspaces"
      words="Each has its own chats, and a folder whose files Echo may read to answer you. It reads nothing outside that folder."
    >
      <div>
        {list.problem !== "" && <Notice kind="danger">{list.problem}</Notice>}
        <ul className={styles.workspaces}>
          {list.workspaces.map((workspace) => (
            <WorkspaceRow
              key={workspace.name}
              workspace={workspace}
              current={workspace.name === settings.workspace}
              list={list}
              onSwitch={() => void change(workspace.name)}
            />
          ))}
        </ul>
        <Outcome save={save} />
        <NewWorkspace create={list.create} />
      </div>
    </Section>
  );
}

interface WorkspaceRowProps {
  workspace: Workspace;
  current: boolean;
  list: WorkspaceList;
  onSwitch: () => void;
}

function WorkspaceRow({ workspace, current, list, onSwitch }: WorkspaceRowProps): ReactNode {
  const id = useId();
  const [folder, setFolder] = useState<string | null>(null);
  const [problem, setProblem] = useState("");
  const keep = async () => {
    if (folder === null || folder.trim() === workspace.folder) {
      setFolder(null);
      setProblem("");
      return;
    }
    const refused = await list.setFolder(workspace.name, folder.trim());
    setProblem(refused === null ? "" : fieldWords(refused));
    if (refused === null) setFolder(null);
  };
  return (
    <li className={styles.workspace} data-current={current}>
      <div className={styles.head}>
        <b>{workspace.name}</b>
        {current ? (
          <span className={styles.current}>In use</span>
        ) : (
          <Button small onClick={onSwitch}>
            Switch to it
          </Button>
        )}
      </div>
      <label htmlFor={id} className={styles.folder}>
        <FolderOpen size={15} aria-hidden />
        <span className="hidden-visually">{`Folder of ${workspace.name}`}</span>
        <input
          id={id}
          value={folder ?? workspace.folder}
          spellCheck={false}
          autoComplete="off"
          placeholder="Its own folder"
          aria-invalid={problem !== ""}
          onChange={(event) => setFolder(event.target.value)}
          onBlur={() => void keep()}
          onKeyDown={(event) => {
            if (event.key === "Enter") void keep();
          }}
        />
      </label>
      <span role="status" className={field.problem}>
        {problem}
      </span>
    </li>
  );
}

function NewWorkspace({ create }: { create: WorkspaceList["create"] }): ReactNode {
  const [name, setName] = useState("");
  const [problem, setProblem] = useState("");
  const make = async (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === "") return;
    const refused = await create(name.trim());
    setProblem(refused === null ? "" : fieldWords(refused));
    if (refused === null) setName("");
  };
  return (
    <form className={styles.new} onSubmit={(event) => void make(event)}>
      <input
        className={field.text}
        aria-label="Name of the new workspace"
        placeholder="Name of a new workspace"
        value={name}
        aria-invalid={problem !== ""}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" icon={<Plus size={15} aria-hidden />} disabled={name.trim() === ""}>
        Create
      </Button>
      <span role="status" className={field.problem}>
        {problem}
      </span>
    </form>
  );
}
