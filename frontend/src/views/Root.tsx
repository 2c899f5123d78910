import type { ReactNode } from "react";
import type { Echo } from "../hooks/echo";
import { EchoContext, usePresence } from "../hooks/useEcho";
import { LinkOpener } from "./answer/links";
import { Dashboard } from "./dashboard/Dashboard";
import { WindowRoot } from "./window/WindowRoot";

/** The page: the desktop window's where the desktop carries it, the dashboard's in a browser. */
export function Root({ echo }: { echo: Echo }): ReactNode {
  usePresence(echo);
  const { shell } = echo.transport;
  return (
    <EchoContext value={echo}>
      <LinkOpener value={shell === null ? null : shell.openLink}>
        {shell === null ? <Dashboard /> : <WindowRoot />}
      </LinkOpener>
    </EchoContext>
  );
}
