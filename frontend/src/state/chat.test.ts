import { describe, expect, test } from "vitest";
import type { ChatEvent, ChatPage, Message } from "../bridge/words";
import { type ChatState, newChat, reduceChat } from "./chat";
import { rowsOf } from "./chatRows";

const at = "2026-01-01T10:00:00Z";

function message(number: number, role: Message["role"], text: string, more: Partial<Message> = {}): Message {
  return { number, role, text, state: "complete", source: "typed", created_at: at, ...more };
}

function page(items: Message[], more: Partial<ChatPage> = {}): ChatPage {
  return {
    id: "a",
    title: "A chat",
    kind: "chat",
    created_at: at,
    updated_at: at,
    messages: items.length,
    replying: false,
    waiting: false,
    items,
    summary: null,
    ...more,
  };
}

function play(state: ChatState, events: ChatEvent[], from = 1): ChatState {
  return events.reduce(
    (now, event, index) => reduceChat(now, { type: "event", number: from + index, event, at }),
    state,
  );
}

const opened = reduceChat(reduceChat(newChat, { type: "opened", id: "a" }), {
  type: "loaded",
  page: page([message(1, "user", "Hello?"), message(2, "assistant", "Hello.")]),
});

const events: ChatEvent[] = [
  { type: "session", id: "a", title: "A chat" },
  { type: "start", question: "What is 12 times 7?" },
  { type: "tool", name: "calculate", arguments: { expression: "12*7" }, status: "running", result: "" },
  { type: "tool", name: "calculate", arguments: { expression: "12*7" }, status: "done", result: "84" },
  { type: "delta", text: "12 times 7 " },
  { type: "delta", text: "is 84." },
  { type: "done", number: 5 },
];

const texts = (state: ChatState) => rowsOf(state).map((row) => (row.kind === "tool" ? row.tool.result : row.text));
const keys = (state: ChatState) => rowsOf(state).map(({ key }) => key);

describe("a reply", () => {
  const asked = reduceChat(opened, { type: "asked", question: "What is 12 times 7?" });

  test("shows its question at once, and its answer as it is written", () => {
    expect(texts(asked)).toEqual(["Hello?", "Hello.", "What is 12 times 7?", ""]);
    expect(texts(play(asked, events.slice(0, 5))).at(-1)).toBe("12 times 7 ");
  });

  test("keeps its rows when it is over and when it is read again: nothing is built anew", () => {
    const over = play(asked, events);
    expect(over.live).toBeNull();
    expect(texts(over)).toEqual(["Hello?", "Hello.", "What is 12 times 7?", "84", "12 times 7 is 84."]);
    const again = reduceChat(over, {
      type: "loaded",
      page: page([
        message(1, "user", "Hello?"),
        message(2, "assistant", "Hello."),
        message(3, "user", "What is 12 times 7?"),
        message(4, "tool", "84", { name: "calculate", arguments: { expression: "12*7" } }),
        message(5, "assistant", "12 times 7 is 84."),
      ]),
    });
    expect(keys(again)).toEqual(keys(over));
    expect(keys(play(asked, events.slice(0, 6)))).toEqual(keys(over));
  });

  test("takes no event twice, whatever the line gives again", () => {
    const half = play(asked, events.slice(0, 6));
    expect(play(half, events.slice(0, 6))).toBe(half);
    expect(texts(play(half, events)).at(-1)).toBe("12 times 7 is 84.");
  });

  test("is the same at every moment at which one leaves and returns", () => {
    const whole = texts(play(asked, events));
    for (let left = 1; left < events.length; left++) {
      // Returning, the chat holds the question, and whatever the server has saved of the answer so far.
      const items = [
        message(1, "user", "Hello?"),
        message(2, "assistant", "Hello."),
        message(3, "user", "What is 12 times 7?"),
      ];
      const saved = left > 4 ? [...items, message(4, "tool", "84", { name: "calculate" })] : items;
      const back = reduceChat(
        reduceChat(reduceChat(newChat, { type: "opened", id: "a" }), {
          type: "loaded",
          page: page(saved, { replying: true }),
        }),
        { type: "watching" },
      );
      expect(texts(play(back, events))).toEqual(whole);
    }
  });

  test("in a new chat gives it its name", () => {
    const fresh = play(reduceChat(newChat, { type: "asked", question: "What is 12 times 7?" }), [
      { type: "session", id: "b", title: "What is 12 times 7?" },
    ]);
    expect([fresh.id, fresh.title]).toEqual(["b", "What is 12 times 7?"]);
  });

  test("that waits says for what", () => {
    const words = "Waiting for the reply in another chat to finish…";
    const waiting = play(asked, [
      { type: "session", id: "a", title: "" },
      { type: "waiting", message: words },
    ]);
    expect(waiting.live).toMatchObject({ status: "waiting", waiting: words });
    expect(play(waiting, [{ type: "start", question: "What is 12 times 7?" }], 3).live?.status).toBe("answering");
  });

  test("that failed keeps what it had written, and says why", () => {
    const failed = play(asked, [
      ...events.slice(0, 5),
      { type: "failed", code: "engine_error", message: "Ollama stopped in the middle." },
    ]);
    expect(rowsOf(failed).at(-1)).toMatchObject({
      text: "12 times 7 ",
      state: "failed",
      newest: true,
      error: { message: "Ollama stopped in the middle." },
    });
  });

  test("that was stopped keeps what it had written", () => {
    const stopped = play(asked, [...events.slice(0, 5), { type: "stopped", number: 5 }]);
    expect(rowsOf(stopped).at(-1)).toMatchObject({ text: "12 times 7 ", state: "stopped", newest: true });
  });

  test("that is refused gives its question back and leaves no trace", () => {
    const refused = reduceChat(asked, { type: "refused", problem: { code: "replying", message: "Still answering." } });
    expect(refused.returned).toBe("What is 12 times 7?");
    expect(texts(refused)).toEqual(["Hello?", "Hello."]);
    expect(refused.problem?.message).toBe("Still answering.");
  });

  test("answers the newest question, though another window asked one in between", () => {
    const begun = play(asked, events.slice(0, 2));
    const placed = reduceChat(begun, {
      type: "loaded",
      page: page(
        [
          message(1, "user", "Hello?"),
          message(2, "assistant", "Hello."),
          message(3, "user", "From elsewhere?"),
          message(4, "assistant", "Yes."),
          message(5, "user", "What is 12 times 7?"),
        ],
        { replying: true },
      ),
    });
    expect(texts(placed)).toEqual(["Hello?", "Hello.", "From elsewhere?", "Yes.", "What is 12 times 7?", ""]);
  });
});

describe("pages", () => {
  test("join before the first message", () => {
    const tail = reduceChat(reduceChat(newChat, { type: "opened", id: "a" }), {
      type: "loaded",
      page: page([message(3, "user", "Three"), message(4, "assistant", "Four")]),
    });
    expect(tail.older).toBe(true);
    const whole = reduceChat(tail, {
      type: "older",
      page: page([message(1, "user", "One"), message(2, "assistant", "Two")]),
    });
    expect(texts(whole)).toEqual(["One", "Two", "Three", "Four"]);
    expect(whole.older).toBe(false);
    expect(keys(whole).slice(2)).toEqual(keys(tail));
  });

  test("read again keep what was read back, unless a gap is between them", () => {
    const newest = page([message(3, "user", "Three"), message(4, "assistant", "Four")]);
    expect(texts(reduceChat(opened, { type: "loaded", page: newest }))).toEqual(["Hello?", "Hello.", "Three", "Four"]);
    const far = page([message(9, "user", "Nine"), message(10, "assistant", "Ten")]);
    const apart = reduceChat(opened, { type: "loaded", page: far });
    expect(texts(apart)).toEqual(["Nine", "Ten"]);
    expect(apart.older).toBe(true);
  });
});

test("a voice reply that runs is shown as far as it is saved", () => {
  const asked = reduceChat(opened, {
    type: "loaded",
    page: page([message(1, "user", "Hello?", { source: "spoken" })]),
  });
  expect(rowsOf({ ...asked, spoken: true }).at(-1)).toMatchObject({ kind: "answer", state: "writing", text: "" });
});
