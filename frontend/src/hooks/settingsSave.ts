import { useCallback, useEffect, useRef, useState } from "react";
import { asEchoError } from "../bridge/problem";
import type { SettingsPatch } from "../bridge/transport";
import { useEcho } from "./useEcho";

export interface Save {
  save(patch: SettingsPatch): Promise<boolean>;
  state: "idle" | "saving" | "saved";
  /** Why it was not saved, in words that stand beside the field. */
  problem: string;
  clear(): void;
}

const shownMs = 1800;

/** The server names the field; beside the field itself the name says nothing. */
export function fieldWords(message: string): string {
  const plain = message.replace(/^The setting "[^"]+"/, "This").replace(/^[a-z_.]+: /, "");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

export interface Choice<Value> {
  /** What is chosen, shown at once; a choice that is refused falls back. */
  shown: Value;
  choose(value: Value): void;
  save: Save;
}

/** A choice that shows before it is saved. */
export function useChoice<Value>(value: Value, patch: (value: Value) => SettingsPatch): Choice<Value> {
  const save = useSave();
  const [wanted, setWanted] = useState<{ value: Value } | null>(null);
  return {
    shown: wanted === null ? value : wanted.value,
    choose(next) {
      const mine = { value: next };
      setWanted(mine);
      void save.save(patch(next)).then(() => setWanted((now) => (now === mine ? null : now)));
    },
    save,
  };
}

/** Saves one field, and says beside it what became of that. */
export function useSave(): Save {
  const { store, transport } = useEcho();
  const [state, setState] = useState<Save["state"]>("idle");
  const [problem, setProblem] = useState("");
  const newest = useRef(0);

  useEffect(() => {
    if (state !== "saved") return;
    const timer = setTimeout(() => setState("idle"), shownMs);
    return () => clearTimeout(timer);
  }, [state]);

  const save = useCallback(
    async (patch: SettingsPatch) => {
      newest.current++;
      const mine = newest.current;
      setState("saving");
      setProblem("");
      try {
        const settings = await transport.settings.patch(patch);
        store.set((now) => ({ ...now, settings }));
        if (mine === newest.current) setState("saved");
        return true;
      } catch (thrown) {
        const { code, message } = asEchoError(thrown);
        if (code === "unauthorized") store.set((now) => ({ ...now, signedOut: true }));
        if (mine === newest.current) {
          setState("idle");
          setProblem(fieldWords(message));
        }
        return false;
      }
    },
    [store, transport],
  );
  const clear = useCallback(() => setProblem(""), []);
  return { save, state, problem, clear };
}
