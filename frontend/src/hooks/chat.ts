// Carries out what the Chat page asks for: the list, the chat that is open, and the reply that is watched. It knows no React.

import { type ChatPort, type Numbered, transcriptOf, type WatchOptions } from "../bridge/chat";
import { asEchoError, type EchoError } from "../bridge/problem";
import { type ChatAction, newChat, reduceChat } from "../state/chat";
import {
  changed,
  emptyList,
  extended,
  hidden,
  isActive,
  type ListState,
  moved,
  refreshed,
  removed,
  unhidden,
} from "../state/chatList";
import { createStore } from "../state/store";
import { type Chats, type ChatsPorts, type ChatsState, noChats } from "./chatActs";
import { createDeletions } from "./chatDeletions";
import { createPoll } from "./chatPoll";
import { createReading } from "./chatReading";
import { createSearch } from "./chatSearch";
import { createWatcher, retryAgain } from "./chatWatch";

export type { Chats, ChatsPorts, ChatsState } from "./chatActs";

const quietMs = 15_000;
const activeMs = 1500;

export function createChats(port: ChatPort, ports: ChatsPorts): Chats {
  const store = createStore<ChatsState>(noChats);
  let queue: ChatAction[] = [];
  let scheduled = false;
  /** Each opening has its number: what comes back for an earlier one is dropped. */
  let opening = 0;
  const watcher = createWatcher({ event: heard, begun: ports.drafts.forget, offline, over, refused });
  const deletions = createDeletions({
    remove: (id, last) => port.remove(id, last),
    removed: (id) => list((state) => removed(state, id)),
    failed(id, thrown) {
      list((state) => unhidden(state, id));
      tell(thrown);
    },
  });
  const look = createSearch({
    search: (query, signal) => port.search(query, signal),
    found: (hits) => store.set((state) => ({ ...state, hits })),
    failed: tell,
  });

  const poll = createPoll(refresh, () => {
    const { list: now, open } = store.get();
    return isActive(now) || open.spoken ? activeMs : quietMs;
  });

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
    poll.again();
  }

  /** The open chat, where the list says that it has changed: another window asked in it, or a voice reply was saved to it. */
  function follow(before: ChatsState): void {
    const { open, list: now } = store.get();
    if (open.id === "" || open.phase !== "ready" || open.live !== null || watcher.active()) return;
    if (moved(before.list, now, open.id) || open.spoken) void reload(open.id);
  }

  /** Reads the newest page of the open chat, and joins the reply that runs in it. */
  async function reload(id: string): Promise<void> {
    const mine = opening;
    try {
      const page = await port.page(id);
      if (mine !== opening) return;
      chat({ type: "loaded", page });
      if ((page.replying || page.waiting) && !watcher.active() && !store.get().open.spoken) {
        chat({ type: "watching" });
        watcher.watch((options) => port.watch(id, options));
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
    watcher.leave();
    queue = [];
    opening++;
    store.set((state) => ({ ...state, serial: opening, open: newChat }));
  }

  function heard({ number, event }: Numbered): void {
    queue.push({ type: "event", number, event, at: ports.now() });
    if (event.type === "session") {
      flush();
      void refresh();
    } else if (!scheduled) {
      scheduled = true;
      ports.soon(flush);
    }
  }

  function offline(): void {
    chat({ type: "offline" });
  }

  function refused(error: EchoError, after: number): void {
    const { id } = store.get().open;
    if (error.code === "not_found") {
      // No typed reply is known: a voice reply runs, or the server was started anew. What is saved says the rest.
      chat({ type: "lost" });
      store.set((state) => ({ ...state, open: { ...state.open, spoken: true } }));
      poll.again();
      if (after > 0) void reload(id);
      return;
    }
    chat({ type: "refused", problem: { code: error.code, message: error.message } });
    if (error.code === "unknown_chat") chat({ type: "missing" });
    void refresh();
  }

  function over(): void {
    flush();
    const { id } = store.get().open;
    if (id !== "") void reload(id);
    void refresh();
  }

  const { older, reach } = createReading(port, {
    opening: () => opening,
    open: () => store.get().open,
    tell: chat,
  });

  return {
    store,
    show() {
      const hide = poll.show();
      return () => {
        hide();
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
      const wanted = query.trim();
      store.set((state) => ({ ...state, query, hits: wanted === "" ? null : state.hits }));
      look(wanted);
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
    reach,
    ask(text) {
      const { open } = store.get();
      if (open.live !== null || watcher.active()) {
        chat({ type: "problem", problem: { code: "replying", message: stillAnswering } });
        return false;
      }
      const key = ports.newKey();
      const session = open.id === "" ? undefined : open.id;
      chat({ type: "asked", question: text });
      // The same key watches the same reply, so that a line lost at any moment neither loses the question nor asks it twice.
      const { model } = store.get();
      const question = { session, message: text, ...(model === "" ? {} : { model }) };
      const send = (options: WatchOptions) => port.ask(question, key, options);
      watcher.watch(send, send, open.id);
      return true;
    },
    chooseModel(model) {
      store.set((state) => ({ ...state, model }));
    },
    retry() {
      const { open } = store.get();
      if (open.id === "" || open.live !== null || watcher.active()) return;
      const question = open.messages.findLast(({ role }) => role === "user");
      if (question === undefined) return;
      chat({ type: "asked", question: question.text });
      watcher.watch(
        (options) => port.retry(open.id, options),
        (options) => retryAgain(port, open.id, options),
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
      deletions.add(row.id);
    },
    undo(id) {
      deletions.undo(id);
      list((state) => unhidden(state, id));
    },
    settle: deletions.settle,
    async import(text) {
      try {
        const row = await port.import(transcriptOf(text));
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
      poll.now();
    },
  };
}

const stillAnswering = "Echo is still answering in this chat. Wait for it, or stop it first.";
