// What the Chat page shows, and what can be done there.

import type { ChatRow, Hit, Problem } from "../bridge/words";
import { type ChatState, newChat } from "../state/chat";
import { emptyList, type ListState } from "../state/chatList";
import type { Store } from "../state/store";
import type { Drafts } from "./chatDrafts";

export interface ChatsState {
  list: ListState;
  open: ChatState;
  /** Grows with every turn to another chat; a new chat that gets its name stays the same one. */
  serial: number;
  /** What is searched for, and what was found; null hits: not known yet. */
  query: string;
  hits: Hit[] | null;
  /** What went wrong with the list. */
  problem: Problem | null;
  signedOut: boolean;
  /** The model that answers the next questions here; empty: the one of the settings. */
  model: string;
}

export const noChats: ChatsState = {
  list: emptyList,
  open: newChat,
  serial: 0,
  query: "",
  hits: null,
  problem: null,
  signedOut: false,
  model: "",
};

export interface ChatsPorts {
  now(): string;
  newKey(): string;
  /** Runs soon, at most once a frame. */
  soon(run: () => void): void;
  drafts: Drafts;
}

export interface Chats {
  readonly store: Store<ChatsState>;
  /** The page is shown: the list is kept fresh until what it gives is called. */
  show(): () => void;
  refresh(): Promise<void>;
  more(): Promise<void>;
  search(query: string): void;
  open(id: string): void;
  openNew(): void;
  /** The messages before the first that is shown. */
  older(): Promise<void>;
  /** Reads back until a message is there. */
  reach(number: number): Promise<boolean>;
  /** False: it was not sent, and says why. */
  ask(text: string): boolean;
  chooseModel(model: string): void;
  retry(): void;
  stop(): void;
  rename(id: string, title: string): Promise<boolean>;
  remove(row: ChatRow): void;
  undo(id: string): void;
  /** The page goes away for good, or turns to another workspace: what waits to be deleted is. */
  settle(): Promise<void>;
  import(text: string): Promise<string | null>;
  exportPath(id: string, format: "markdown" | "json"): string;
  dismiss(what: "list" | "chat" | "returned"): void;
  /** Another workspace: nothing that was read is true any more. */
  reset(): void;
}
