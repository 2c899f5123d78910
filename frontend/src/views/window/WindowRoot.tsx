import { type ReactNode, useCallback, useEffect, useState } from "react";
import type { OrbStatus, WindowForm } from "../../bridge/transport";
import { useEcho } from "../../hooks/useEcho";
import { useKeys } from "../../hooks/useKeys";
import { useTheme } from "../../hooks/useTheme";
import { OrbView } from "../orb/OrbView";
import { EchoWindow } from "./EchoWindow";

const quietOrb: OrbStatus = { look: "", accent: "", state: "idle", wake: false, problem: "", compositor: true };

/** The desktop window's page: the panel or the orb. Folded or hidden, it lets go of conversation and microphone. */
export function WindowRoot(): ReactNode {
  const echo = useEcho();
  const { shell } = echo.transport;
  const [form, setForm] = useState<WindowForm | null>(null);
  const [orb, setOrb] = useState(quietOrb);
  const [menu, setMenu] = useState(false);
  useTheme();
  const fold = useCallback(() => shell?.fold(), [shell]);
  useKeys(echo, fold);

  useEffect(() => {
    document.documentElement.dataset.shell = "window";
    if (shell === null) return;
    const change = (next: WindowForm) => {
      setForm(next);
      if (next === "panel") echo.shown();
      else {
        setMenu(false);
        echo.hidden();
      }
    };
    const stops = [shell.listenForm(change), shell.listenOrb(setOrb)];
    shell.form().then(change, () => change("panel"));
    return () => {
      for (const stop of stops) stop();
    };
  }, [shell, echo]);
  useEffect(() => {
    document.documentElement.dataset.compositor = String(orb.compositor);
  }, [orb.compositor]);

  if (form === null || shell === null) return null;
  if (form === "panel") return <EchoWindow menu={menu} onMenu={setMenu} />;
  return (
    <OrbView
      status={orb}
      onUnfold={(withMenu) => {
        shell.unfold();
        setMenu(withMenu);
      }}
    />
  );
}
