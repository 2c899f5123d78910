import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ChatPort, Numbered, WatchOptions } from "../bridge/chat";
import { EchoError } from "../bridge/problem";
import type { ChatEvent, ChatPage, ChatRow } from "../bridge/words";
import { type Chats, createChats } from "./chat";
import { undoMs } from "./chatDeletions";

const at = "2026-01-01T10:00:00Z";

function row(id: string, more: Partial<ChatRow> = {}): ChatRow {
  return {
    id,
    title: id,
    kind: "chat",
    created_at: at,
    updated_at: at,
    messages: 0,
    replying: false,
    waiting: false,
    ...more,
  };
}

type Step = ChatEvent | EchoError | "silence";

/** A stream of what is given, numbered from the first; it stops when its reader does. */
async function* stream(steps: Step[], { signal, after }: WatchOptions): AsyncGenerator<Numbered> {
  let number = 0;
  for (const step of steps) {
    if (step instanceof EchoError) throw step;
    if (step === "silence") {
      await new Promise<void>((done) => signal.addEventListener("abort", () => done(), { once: true }));
      return;
    }
    number++;
    if (number > after) yield { number, event: step };
  }
}

const session: ChatEvent = { type: "session", id: "a", title: "Why?" };
const start: ChatEvent = { type: "start", question: "Why?" };
const because: ChatEvent = { type: "delta", text: "Because." };
const done: ChatEvent = { type: "done", number: 2 };
const gone = new EchoError("unreachable", "Echo does not answer.");

interface Fake {
  port: ChatPort;
  streams: Step[][];
  keys: string[];
  calls: string[];
  afters: number[];
  removed: string[];
  page: ChatPage;
}

function fake(): Fake {
  const made: Fake = {
    streams: [],
    keys: [],
    calls: [],
    afters: [],
    removed: [],
    page: { ...row("a"), items: [], summary: null },
    port: undefined as unknown as ChatPort,
  };
  const next = (options: WatchOptions) => {
    made.afters.push(options.after);
    return stream(made.streams.shift() ?? ["silence"], options);
  };
  made.port = {
    list: async () => ({ sessions: [row("a"), row("b")], next: null }),
    page: async () => made.page,
    search: async () => [],
    rename: async (id, title) => row(id, { title }),
    remove: async (id) => {
      made.removed.push(id);
    },
    stop: async () => true,
    import: async () => row("c"),
    exportPath: (id) => id,
    ask: (_, key, options) => {
      made.keys.push(key);
      return next(options);
    },
    retry: (_, options) => {
      made.calls.push("retry");
      return next(options);
    },
    watch: (_, options) => {
      made.calls.push("watch");
      return next(options);
    },
  };
  return made;
}

let server: Fake;
let chats: Chats;
let forgotten: string[];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", {
    visibilityState: "visible",
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  });
  server = fake();
  forgotten = [];
  let keys = 0;
  chats = createChats(server.port, {
    now: () => at,
    newKey: () => `key ${++keys}`,
    soon: (run) => run(),
    drafts: { get: () => "", set: () => undefined, forget: (chat) => forgotten.push(chat) },
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const open = () => chats.store.get().open;

describe("a question", () => {
  test("whose line is lost is sent again with its key, and goes on after what was seen", async () => {
    server.streams = [[gone], [session, start, gone], [session, start, because, done]];
    chats.ask("Why?");
    await settle(2000);
    expect(server.keys).toEqual(["key 1", "key 1", "key 1"]);
    expect(server.afters).toEqual([0, 0, 2]);
    expect(open().id).toBe("a");
    expect(open().live).toBeNull();
  });

  test("keeps its draft until the server has it", async () => {
    server.streams = [[gone], [session, "silence"]];
    chats.ask("Why?");
    await settle(100);
    expect(forgotten).toEqual([]);
    await settle(1000);
    expect(forgotten).toEqual([""]);
  });

  test("that the page leaves before the server has it is still sent", async () => {
    const leave = chats.show();
    server.streams = [[gone], [session, start, "silence"]];
    chats.ask("Why?");
    await settle(10);
    leave();
    await settle(1000);
    expect(server.keys.length).toBe(2);
    expect(open().id).toBe("");
  });

  test("that is refused comes back to its field", async () => {
    server.streams = [[new EchoError("replying", "Echo is still answering here.")]];
    chats.ask("Why?");
    await settle();
    expect(open().returned).toBe("Why?");
    expect(open().problem?.message).toBe("Echo is still answering here.");
    expect(chats.ask("Again?")).toBe(true);
  });

  test("while another is answered is not sent", async () => {
    server.streams = [[session, start, "silence"]];
    chats.ask("Why?");
    await settle();
    expect(chats.ask("And?")).toBe(false);
    expect(server.keys.length).toBe(1);
  });
});

describe("Try again", () => {
  const asked = { number: 1, role: "user", text: "Why?", state: "complete", source: "typed", created_at: at } as const;
  const cut = { ...asked, number: 2, role: "assistant", text: "Be", state: "stopped" } as const;

  beforeEach(async () => {
    server.page = { ...row("a"), items: [asked, cut], summary: null };
    chats.open("a");
    await settle();
  });

  test("whose line is lost asks again by itself", async () => {
    server.streams = [[gone], [session, start, because, "silence"]];
    chats.retry();
    await settle(1000);
    expect(server.calls).toEqual(["retry", "retry"]);
    expect(open().live?.answer).toBe("Because.");
  });

  test("that came through before its line was lost is watched, not asked twice", async () => {
    server.streams = [
      [gone],
      [new EchoError("replying", "Echo is still answering here.")],
      [session, start, because, "silence"],
    ];
    chats.retry();
    await settle(1000);
    expect(server.calls).toEqual(["retry", "retry", "watch"]);
    expect(open().live?.answer).toBe("Because.");
    expect(open().problem).toBeNull();
  });
});

describe("a chat that is opened", () => {
  test("joins the reply that runs in it", async () => {
    server.page = { ...row("a", { replying: true }), items: [], summary: null };
    server.streams = [[session, start, because, "silence"]];
    chats.open("a");
    await settle();
    expect(open().live).toMatchObject({ question: "Why?", answer: "Because." });
  });

  test("in which a voice reply runs is read again until it is over", async () => {
    const leave = chats.show();
    server.port.list = async () => ({ sessions: [row("a", { replying: true })], next: null });
    server.page = { ...row("a", { replying: true }), items: [], summary: null };
    server.streams = [[new EchoError("not_found", "No reply is known in this chat.")]];
    chats.open("a");
    await settle();
    expect(open().spoken).toBe(true);
    server.port.list = async () => ({ sessions: [row("a", { updated_at: "2026-01-01T10:00:09Z" })], next: null });
    server.page = { ...row("a"), items: [], summary: null };
    await settle(4000);
    expect(open().spoken).toBe(false);
    leave();
  });
});

describe("a chat that is deleted", () => {
  test("is held back, and undone", async () => {
    chats.remove(row("a"));
    await settle(undoMs - 1);
    expect(server.removed).toEqual([]);
    chats.undo("a");
    await settle(undoMs);
    expect(server.removed).toEqual([]);
    expect(chats.store.get().list.removing).toEqual([]);
  });

  test("is gone after ten seconds, or when the page goes away", async () => {
    chats.remove(row("a"));
    await settle(undoMs);
    expect(server.removed).toEqual(["a"]);
    chats.remove(row("b"));
    await chats.settle();
    expect(server.removed).toEqual(["a", "b"]);
  });

  test("that cannot be is back in the list, and says why", async () => {
    server.port.remove = async () => {
      throw new EchoError("internal", "The disk is full.");
    };
    chats.remove(row("a"));
    await settle(undoMs);
    expect(chats.store.get().list.removing).toEqual([]);
    expect(chats.store.get().problem?.message).toBe("The disk is full.");
  });
});
