// The whole of what a window knows, and the pure step from one state to the next.

import type { Look, Models, Problem, SessionRequest, Settings } from "../bridge/words";
import { hiddenLink, type LinkState } from "./link";
import { emptyTalk, type TalkState } from "./talk";

export interface EchoState {
  link: LinkState;
  talk: TalkState;
  settings: Settings | null;
  looks: Look[];
  models: Models | null;
  /** What went wrong that belongs to no turn. */
  problem: Problem | null;
  /** The page carries no token: nothing can be asked of the server. */
  signedOut: boolean;
  /** Hands-free is on: the microphone stays open between questions. */
  handsFree: boolean;
  /** What takes over once the reply in progress, and what waits, is answered. */
  takeover: { request: SessionRequest; from: string } | null;
}

export const firstState: EchoState = {
  link: hiddenLink,
  talk: emptyTalk,
  settings: null,
  looks: [],
  models: null,
  problem: null,
  signedOut: false,
  handsFree: false,
  takeover: null,
};

export interface Store<T> {
  get(): T;
  set(change: (state: T) => T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(first: T): Store<T> {
  let state = first;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    set(change) {
      const next = change(state);
      if (next === state) return;
      state = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
