import {
  AppWindow,
  Brain,
  Ellipsis,
  History,
  LayoutDashboard,
  MessageCirclePlus,
  Mic,
  PictureInPicture2,
  Power,
  Settings2,
  Sparkles,
} from "lucide-react";
import { type ReactNode, useState } from "react";
import type { ChatRow } from "../../bridge/words";
import { useEcho, useEchoState } from "../../hooks/useEcho";
import { IconButton } from "../../ui/Button";
import { Menu, MenuChoice, MenuItem, MenuLine, MenuNote, Submenu } from "../../ui/Menu";
import { CompanionSettings } from "./CompanionSettings";
import styles from "./EchoMenu.module.css";
import { ModelChoices } from "./ModelChoices";

export interface EchoMenuProps {
  open?: boolean;
  onOpen?: (open: boolean) => void;
}

export function EchoMenu({ open, onOpen }: EchoMenuProps): ReactNode {
  const echo = useEcho();
  const { shell } = echo.transport;
  const [settings, setSettings] = useState(false);
  const active = useEchoState((state) => state.talk.active);
  const attached = useEchoState((state) => state.link.name === "attached");
  const button = (
    <IconButton label="Menu">
      <Ellipsis size={20} aria-hidden />
    </IconButton>
  );
  return (
    <>
      <Menu label="Echo's menu" button={button} open={open} onOpen={onOpen}>
        <EarlierChats />
        <LookMenu />
        <ModelMenu />
        <MenuLine />
        <MenuItem icon={<MessageCirclePlus size={17} aria-hidden />} onSelect={() => void echo.connect({ new: true })}>
          New conversation
        </MenuItem>
        <MenuItem icon={<Power size={17} aria-hidden />} disabled={!active} onSelect={() => echo.end()}>
          End conversation
        </MenuItem>
        <MenuLine />
        {shell === null ? (
          <MenuItem
            icon={<PictureInPicture2 size={17} aria-hidden />}
            disabled={!attached && !active}
            onSelect={() => echo.handOver()}
          >
            Move to floating Echo
          </MenuItem>
        ) : (
          <MenuItem icon={<LayoutDashboard size={17} aria-hidden />} onSelect={() => shell.openDashboard()}>
            Open dashboard
          </MenuItem>
        )}
        <MenuItem icon={<Settings2 size={17} aria-hidden />} onSelect={() => setSettings(true)}>
          Companion settings
        </MenuItem>
        {shell !== null && (
          <MenuItem icon={<AppWindow size={17} aria-hidden />} hint="Esc" onSelect={() => shell.fold()}>
            Fold
          </MenuItem>
        )}
      </Menu>
      <CompanionSettings open={settings} onClose={() => setSettings(false)} />
    </>
  );
}

function EarlierChats(): ReactNode {
  const echo = useEcho();
  const [chats, setChats] = useState<ChatRow[] | "loading" | "failed">("loading");
  const load = (open: boolean) => {
    if (!open) return;
    echo.recent().then(
      (rows) => setChats(rows.slice(0, 8)),
      () => setChats("failed"),
    );
  };
  return (
    <Submenu label="Earlier chats" icon={<History size={17} aria-hidden />} onOpen={load}>
      {chats === "loading" && <MenuNote>Looking…</MenuNote>}
      {chats === "failed" && <MenuNote>The chats could not be listed. Try again.</MenuNote>}
      {Array.isArray(chats) && chats.length === 0 && <MenuNote>No chats yet. Your next one will be here.</MenuNote>}
      {Array.isArray(chats) &&
        chats.map((chat) => (
          <MenuItem
            key={chat.id}
            icon={chat.kind === "voice" ? <Mic size={15} aria-label="Spoken" /> : undefined}
            detail={detailOf(chat)}
            onSelect={() => void echo.connect({ chat: chat.id })}
          >
            {chat.title}
          </MenuItem>
        ))}
    </Submenu>
  );
}

function detailOf(chat: ChatRow): string {
  if (chat.replying) return "Still answering";
  return new Date(chat.updated_at).toLocaleString(undefined, {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
}

/** A persona speaks to the model; its first sentence, turned to the reader, says what the look is like. */
export function personaWords(persona: string): string {
  const first = /^[^.!?]*[.!?]?/.exec(persona.trim())?.[0] ?? "";
  const words = first.replace(/^You are /, "");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What is chosen and what the conversation has may differ: a change takes over once the reply in progress is answered. */
export function LookMenu(): ReactNode {
  const echo = useEcho();
  const looks = useEchoState((state) => state.looks);
  const chosen = useEchoState((state) => state.settings?.look ?? "");
  const name = looks.find((look) => look.id === chosen)?.name;
  return (
    <Submenu label="Look" hint={name} icon={<Sparkles size={17} aria-hidden />}>
      {looks.map((look) => (
        <MenuChoice
          key={look.id}
          name="look"
          value={look.id}
          chosen={chosen}
          onChoose={(id) => echo.choose({ look: id })}
          swatch={<span className={styles.swatch} style={{ background: look.accent }} />}
          detail={personaWords(look.persona)}
        >
          {look.name}
        </MenuChoice>
      ))}
    </Submenu>
  );
}

export function ModelMenu(): ReactNode {
  const echo = useEcho();
  const chosen = useEchoState((state) => state.settings?.reasoning.model ?? "");
  const now = useEchoState((state) => state.talk.model);
  const hint = chosen === "" ? now : chosen;
  return (
    <Submenu
      label="Model"
      hint={hint === "" ? undefined : hint}
      icon={<Brain size={17} aria-hidden />}
      onOpen={(open) => {
        if (open) echo.loadModels();
      }}
    >
      <ModelChoices chosen={chosen} first="Echo's choice" onChoose={(model) => echo.choose({ model })} />
    </Submenu>
  );
}
