// Carries out what the Chat page asks for: the list, the chat that is open, and the reply that is watched. It knows no React.

import type { ChatPort, Numbered, WatchOptions } from "../bridge/chat";
import { asEchoError, EchoError } from "../bridge/problem";
import type { ChatRow, Hit, Problem } from "../bridge/words";
import { type ChatAction, type ChatState, newChat, reduceChat } from "../state/chat";
import {
  changed,
  emptyList,
  extended,
  hidden,
  isActive,
  type ListState,
  refreshed,
  removed,
  unhidden,
} from "../state/chatList";
import { createStore, type Store } from "../state/store";
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
}

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

export const undoMs = 10_000;
const quietMs = 15_000;
const activeMs = 1500;
const longestWaitMs = 8000;
const searchMs = 140;
/** How often a question is sent again after its page was left, while no answer says that the server has it. */
const unseenTries = 6;

/** The watching of one reply: it goes on until it is over or the page turns to another chat. */
interface Watching {
  stop: AbortController;
  /** The server has the question: from then on, watching can be stopped without losing it. */
  begun: boolean;
  wanted: boolean;
  /** The chat whose draft was asked; null: nothing was. */
  draft: string | null;
}

export function createChats(port: ChatPort, ports: ChatsPorts): Chats {
  const store = createStore<ChatsState>({
    list: emptyList,
    open: newChat,
    serial: 0,
    query: "",
    hits: null,
    problem: null,
    signedOut: false,
  });
  let watching: Watching | null = null;
  let queue: ChatAction[] = [];
  let scheduled = false;
  let shown = 0;
  let poll: ReturnType<typeof setTimeout> | undefined;
  let searching: ReturnType<typeof setTimeout> | undefined;
  let searched = new AbortController();
  const deletions = new Map<string, ReturnType<typeof setTimeout>>();
  /** Each opening has its number: what comes back for an earlier one is dropped. */
  let opening = 0;

  const chat = (action: ChatAction) => {
    flush();
    store.set((state) => ({ ...state, open: reduceChat(state.open, action) }));
  };
  const list = (change: (state: ListState) => ListState) =>
    store.set((state) => ({ ...state, list: change(state.list) }));

  function flush(): void {
    scheduled = false;
    if (queue.length === 0) return;
    const actions = queue;
    queue = [];
    store.set((state) => ({ ...state, open: actions.reduce(reduceChat, state.open) }));
  }

  function tell(thrown: unknown): void {
    const { code, message } = asEchoError(thrown);
    store.set((state) => ({
      ...state,
      signedOut: state.signedOut || code === "unauthorized",
      problem: { code, message },
    }));
  }

  async function refresh(): Promise<void> {
    try {
      const page = await port.list();
      const before = store.get();
      store.set((state) => ({
        ...state,
        list: refreshed(state.list, page),
        problem: state.problem?.code === "unreachable" ? null : state.problem,
      }));
      follow(before);
    } catch (thrown) {
      tell(thrown);
    }
    schedule();
  }

  /** The open chat, where the list says that it has changed: another window asked in it, or a voice reply was saved to it. */
  function follow(before: ChatsState): void {
    const { open, list: now } = store.get();
    if (open.id === "" || open.phase !== "ready" || open.live !== null || watching !== null) return;
    const row = now.rows.find(({ id }) => id === open.id);
    const old = before.list.rows.find(({ id }) => id === open.id);
    if (row === undefined) return;
    const busy = row.replying || row.waiting;
    if (row.updated_at !== old?.updated_at || row.messages !== old.messages || busy || open.spoken)
      void reload(open.id);
  }

  function schedule(): void {
    clearTimeout(poll);
    if (shown === 0 || document.visibilityState === "hidden") return;
    const { list: now, open } = store.get();
    poll = setTimeout(() => void refresh(), isActive(now) || open.spoken ? activeMs : quietMs);
  }

  /** Reads the newest page of the open chat, and joins the reply that runs in it. */
  async function reload(id: string): Promise<void> {
    const mine = opening;
    try {
      const page = await port.page(id);
      if (mine !== opening) return;
      chat({ type: "loaded", page });
      if ((page.replying || page.waiting) && watching === null && !store.get().open.spoken) {
        chat({ type: "watching" });
        watch((options) => port.watch(id, options));
      } else if (!page.replying) {
        store.set((state) => (state.open.spoken ? { ...state, open: { ...state.open, spoken: false } } : state));
      }
    } catch (thrown) {
      if (mine !== opening) return;
      const { code, message } = asEchoError(thrown);
      if (code === "unknown_chat") chat({ type: "missing" });
      else chat({ type: "broken", problem: { code, message } });
    }
  }

  function leave(): void {
    if (watching !== null) {
      watching.wanted = false;
      if (watching.begun) watching.stop.abort();
      watching = null;
    }
    queue = [];
    opening++;
    store.set((state) => ({ ...state, serial: opening, open: newChat }));
  }

  /** Watches a reply to its end, through every dropped line. `start` opens the stream; after its first event `again` does. */
  function watch(
    start: (options: WatchOptions) => AsyncIterable<Numbered>,
    again: (options: WatchOptions) => AsyncIterable<Numbered> = start,
    draft: string | null = null,
  ): void {
    const mine: Watching = { stop: new AbortController(), begun: draft === null, wanted: true, draft };
    watching = mine;
    void run(mine, start, again);
  }

  async function run(
    mine: Watching,
    start: (options: WatchOptions) => AsyncIterable<Numbered>,
    again: (options: WatchOptions) => AsyncIterable<Numbered>,
  ): Promise<void> {
    let after = 0;
    for (let attempt = 0; mine.wanted || (!mine.begun && attempt < unseenTries); attempt++) {
      try {
        const source = after === 0 && attempt === 0 ? start : again;
        for await (const { number, event } of source({ signal: mine.stop.signal, after })) {
          after = number;
          attempt = 0;
          if (!mine.begun && mine.draft !== null) ports.drafts.forget(mine.draft);
          mine.begun = true;
          if (!mine.wanted) break;
          queue.push({ type: "event", number, event, at: ports.now() });
          if (event.type === "done" || event.type === "stopped" || event.type === "failed") {
            finish(mine);
            return;
          }
          if (event.type === "session") {
            flush();
            void refresh();
          } else if (!scheduled) {
            scheduled = true;
            ports.soon(flush);
          }
        }
      } catch (thrown) {
        if (!refused(mine, asEchoError(thrown), after)) return;
      }
      if (!mine.wanted && mine.begun) break;
      if (mine.wanted) chat({ type: "offline" });
      await pause(Math.min(longestWaitMs, 250 * 2 ** attempt), mine.stop.signal);
    }
    mine.stop.abort();
  }

  /** Whether the watching goes on after an error: only a line that is gone is opened again. */
  function refused(mine: Watching, error: EchoError, after: number): boolean {
    if (error.code === "unreachable") return true;
    if (!mine.wanted) return false;
    watching = null;
    const { id } = store.get().open;
    if (error.code === "not_found") {
      // No typed reply is known: a voice reply runs, or the server was started anew. What is saved says the rest.
      chat({ type: "lost" });
      store.set((state) => ({ ...state, open: { ...state.open, spoken: true } }));
      schedule();
      if (after > 0) void reload(id);
      return false;
    }
    chat({ type: "refused", problem: { code: error.code, message: error.message } });
    if (error.code === "unknown_chat") chat({ type: "missing" });
    void refresh();
    return false;
  }

  function finish(mine: Watching): void {
    flush();
    mine.stop.abort();
    if (watching === mine) watching = null;
    const { id } = store.get().open;
    if (id !== "") void reload(id);
    void refresh();
  }

  async function erase(id: string, last: boolean): Promise<void> {
    deletions.delete(id);
    try {
      await port.remove(id, last);
      list((state) => removed(state, id));
    } catch (thrown) {
      if (asEchoError(thrown).code === "unknown_chat") {
        list((state) => removed(state, id));
        return;
      }
      list((state) => unhidden(state, id));
      tell(thrown);
    }
  }

  async function older(): Promise<void> {
    const { open } = store.get();
    const first = open.messages[0];
    if (!open.older || first === undefined) return;
    const mine = opening;
    try {
      const page = await port.page(open.id, first.number);
      if (mine === opening) chat({ type: "older", page });
    } catch (thrown) {
      if (mine === opening) chat({ type: "broken", problem: asEchoError(thrown) });
    }
  }

  return {
    store,
    show() {
      shown++;
      void refresh();
      const seen = () => {
        if (document.visibilityState === "visible") void refresh();
      };
      document.addEventListener("visibilitychange", seen);
      return () => {
        shown--;
        clearTimeout(poll);
        document.removeEventListener("visibilitychange", seen);
        leave();
      };
    },
    refresh,
    async more() {
      const { next } = store.get().list;
      if (next === null) return;
      try {
        const page = await port.list(next);
        list((state) => (state.next === next ? extended(state, page) : state));
      } catch (thrown) {
        tell(thrown);
      }
    },
    search(query) {
      clearTimeout(searching);
      searched.abort();
      const wanted = query.trim();
      store.set((state) => ({ ...state, query, hits: wanted === "" ? null : state.hits }));
      if (wanted === "") return;
      searched = new AbortController();
      const { signal } = searched;
      searching = setTimeout(() => {
        port.search(wanted, signal).then(
          (hits) => {
            if (!signal.aborted) store.set((state) => ({ ...state, hits }));
          },
          (thrown: unknown) => {
            if (!signal.aborted) tell(thrown);
          },
        );
      }, searchMs);
    },
    open(id) {
      const { open, list: now } = store.get();
      if (open.id === id && open.phase !== "broken") return;
      leave();
      chat({ type: "opened", id, row: now.rows.find((row) => row.id === id) });
      void reload(id);
    },
    openNew() {
      const { open } = store.get();
      if (open.id === "" && open.live === null && open.phase === "ready") return;
      leave();
    },
    older,
    async reach(number) {
      const mine = opening;
      for (;;) {
        const { open } = store.get();
        if (mine !== opening) return false;
        const first = open.messages[0]?.number ?? 1;
        if (first <= number || !open.older) return true;
        await older();
        if (store.get().open.messages[0]?.number === first) return false;
      }
    },
    ask(text) {
      const { open } = store.get();
      if (open.live !== null || watching !== null) {
        chat({ type: "problem", problem: { code: "replying", message: stillAnswering } });
        return false;
      }
      const key = ports.newKey();
      const session = open.id === "" ? undefined : open.id;
      chat({ type: "asked", question: text });
      // The same key watches the same reply, so that a line lost at any moment neither loses the question nor asks it twice.
      const send = (options: WatchOptions) => port.ask({ session, message: text }, key, options);
      watch(send, send, open.id);
      return true;
    },
    retry() {
      const { open } = store.get();
      if (open.id === "" || open.live !== null || watching !== null) return;
      const question = open.messages.findLast(({ role }) => role === "user");
      if (question === undefined) return;
      chat({ type: "asked", question: question.text });
      watch(
        (options) => port.retry(open.id, options),
        (options) => port.watch(open.id, options),
      );
    },
    stop() {
      const { open } = store.get();
      if (open.id === "" || open.live === null) return;
      port.stop(open.id).catch((thrown: unknown) => chat({ type: "problem", problem: asEchoError(thrown) }));
    },
    async rename(id, title) {
      const before = store.get();
      const old = before.list.rows.find((row) => row.id === id)?.title ?? before.open.title;
      const show = (words: string) => {
        list((state) => changed(state, id, { title: words }));
        if (store.get().open.id === id) chat({ type: "renamed", title: words });
      };
      show(title);
      try {
        show((await port.rename(id, title)).title);
        return true;
      } catch (thrown) {
        show(old);
        tell(thrown);
        return false;
      }
    },
    remove(row) {
      list((state) => hidden(state, row));
      clearTimeout(deletions.get(row.id));
      deletions.set(
        row.id,
        setTimeout(() => void erase(row.id, false), undoMs),
      );
    },
    undo(id) {
      clearTimeout(deletions.get(id));
      deletions.delete(id);
      list((state) => unhidden(state, id));
    },
    async settle() {
      const waiting = [...deletions];
      for (const [, timer] of waiting) clearTimeout(timer);
      await Promise.all(waiting.map(([id]) => erase(id, true)));
    },
    async import(text) {
      try {
        const row = await port.import(parsed(text));
        await refresh();
        return row.id;
      } catch (thrown) {
        tell(thrown);
        return null;
      }
    },
    exportPath: port.exportPath,
    dismiss(what) {
      if (what === "list") store.set((state) => ({ ...state, problem: null }));
      else chat(what === "chat" ? { type: "problem", problem: null } : { type: "taken" });
    },
    reset() {
      leave();
      store.set((state) => ({ ...state, list: emptyList, query: "", hits: null }));
      if (shown > 0) void refresh();
    },
  };
}

const stillAnswering = "Echo is still answering in this chat. Wait for it, or stop it first.";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new EchoError("bad_json", "That file is not a chat. Choose a file that Export as JSON made.");
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
