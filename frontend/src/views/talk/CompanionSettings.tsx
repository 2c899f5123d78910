import type { ReactNode } from "react";
import type { SettingsPatch } from "../../bridge/transport";
import type { Theme } from "../../bridge/words";
import { useEcho, useEchoState } from "../../hooks/useEcho";
import { Dialog } from "../../ui/Dialog";
import { Segmented } from "../../ui/Segmented";
import { Switch } from "../../ui/Switch";
import styles from "./CompanionSettings.module.css";

const themes: { value: Theme; words: string }[] = [
  { value: "system", words: "As the system" },
  { value: "light", words: "Light" },
  { value: "dark", words: "Dark" },
];

/** The few settings that one wants at hand. All of them are on the Settings page. */
export function CompanionSettings({ open, onClose }: { open: boolean; onClose: () => void }): ReactNode {
  const echo = useEcho();
  const settings = useEchoState((state) => state.settings);
  const change = (patch: SettingsPatch) => void echo.patch(patch);
  return (
    <Dialog title="Companion settings" open={open} onClose={onClose}>
      {settings === null ? (
        <p>Settings could not be read. Check that Echo is running.</p>
      ) : (
        <>
          <Switch
            label="Save conversations"
            consequence="Questions and answers are kept as text in Chat. Your voice never is. Turned on again, it saves the next conversation."
            on={settings.voice.save_conversations}
            onChange={(on) => change({ voice: { save_conversations: on } })}
          />
          <Switch
            label="Floating Echo"
            consequence="Shows Echo when the app opens. Off, it stays in the tray until you ask for it."
            on={settings.companion.floating}
            onChange={(on) => change({ companion: { floating: on } })}
          />
          <Switch
            label="Above other windows"
            on={settings.companion.always_on_top}
            onChange={(on) => change({ companion: { always_on_top: on } })}
          />
          <div className={styles.theme}>
            <span>Colours</span>
            <Segmented
              label="Colours"
              options={themes}
              value={settings.theme}
              onChange={(theme) => change({ theme })}
            />
          </div>
        </>
      )}
    </Dialog>
  );
}
