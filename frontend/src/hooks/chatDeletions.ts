// Chats that are gone from the list and will be deleted, unless Undo is pressed within ten seconds.

import { asEchoError } from "../bridge/problem";

export const undoMs = 10_000;

export interface Deletions {
  add(id: string): void;
  undo(id: string): void;
  /** The page goes away for good: what waits is deleted now. */
  settle(): Promise<void>;
}

export interface DeletionPorts {
  /** `last`: the call must outlive the page. */
  remove(id: string, last: boolean): Promise<void>;
  removed(id: string): void;
  failed(id: string, thrown: unknown): void;
}

export function createDeletions({ remove, removed, failed }: DeletionPorts): Deletions {
  const waiting = new Map<string, ReturnType<typeof setTimeout>>();

  async function erase(id: string, last: boolean): Promise<void> {
    waiting.delete(id);
    try {
      await remove(id, last);
      removed(id);
    } catch (thrown) {
      if (asEchoError(thrown).code === "unknown_chat") removed(id);
      else failed(id, thrown);
    }
  }

  function undo(id: string): void {
    clearTimeout(waiting.get(id));
    waiting.delete(id);
  }

  return {
    add(id) {
      undo(id);
      waiting.set(
        id,
        setTimeout(() => void erase(id, false), undoMs),
      );
    },
    undo,
    async settle() {
      const ids = [...waiting.keys()];
      for (const id of ids) clearTimeout(waiting.get(id));
      await Promise.all(ids.map((id) => erase(id, true)));
    },
  };
}
