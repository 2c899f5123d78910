import { useCallback, useEffect, useState } from "react";
import { createHttp } from "../bridge/http";
import { asEchoError } from "../bridge/problem";
import type { Status, Workspace, Workspaces } from "../bridge/words";
import { useEcho } from "./useEcho";

const freshMs = 5000;

/** How the engines stand, asked again while the page is seen. Asking starts nothing. */
export function useStatus(): Status | null {
  const { transport } = useEcho();
  const [status, setStatus] = useState<Status | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let here = true;
    const ask = () => {
      const again = () => {
        if (here) timer = setTimeout(ask, freshMs);
      };
      if (document.visibilityState === "hidden") {
        again();
        return;
      }
      transport.settings.status().then(
        (next) => {
          if (here) setStatus(next);
          again();
        },
        () => again(),
      );
    };
    ask();
    return () => {
      here = false;
      clearTimeout(timer);
    };
  }, [transport]);
  return status;
}

export interface WorkspaceList {
  workspaces: Workspace[];
  problem: string;
  load(): void;
  create(name: string): Promise<string | null>;
  setFolder(name: string, folder: string): Promise<string | null>;
}

/** The workspaces. What changes them gives null, or why it could not. */
export function useWorkspaces(): WorkspaceList {
  const [http] = useState(() => createHttp((input, init) => fetch(input, init)));
  const [workspaces, setWorkspaces] = useState<Workspace[]>([]);
  const [problem, setProblem] = useState("");
  const load = useCallback(() => {
    http.get<Workspaces>("/api/workspaces").then(
      (answer) => {
        setWorkspaces(answer.workspaces);
        setProblem("");
      },
      (thrown: unknown) => setProblem(asEchoError(thrown).message),
    );
  }, [http]);
  useEffect(load, [load]);
  const change = useCallback(
    async (method: "POST" | "PATCH", path: string, body: object) => {
      try {
        await http.send(method, path, body);
        load();
        return null;
      } catch (thrown) {
        return asEchoError(thrown).message;
      }
    },
    [http, load],
  );
  return {
    workspaces,
    problem,
    load,
    create: (name) => change("POST", "/api/workspaces", { name }),
    setFolder: (name, folder) => change("PATCH", `/api/workspaces/${encodeURIComponent(name)}`, { folder }),
  };
}
