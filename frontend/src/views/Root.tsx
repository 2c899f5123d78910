import type { ReactNode } from "react";
import type { Echo } from "../hooks/echo";
import { EchoContext, usePresence } from "../hooks/useEcho";
import { useRest } from "../hooks/useRest";
import { LinkOpener } from "./answer/links";
import { Dashboard } from "./dashboard/Dashboard";
import { Guard } from "./Guard";
import { WindowRoot } from "./window/WindowRoot";

/** The page: the desktop window's where the desktop carries it, the dashboard's in a browser. */
export function Root({ echo }: { echo: Echo }): ReactNode {
  usePresence(echo);
  useRest(echo);
  const { shell } = echo.transport;
  return (
    <EchoContext value={echo}>
      <LinkOpener value={shell === null ? null : shell.openLink}>
        <Guard what="This page">{shell === null ? <Dashboard /> : <WindowRoot />}</Guard>
      </LinkOpener>
    </EchoContext>
  );
}
