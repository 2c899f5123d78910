// One chat as the Chat page shows it: its messages, and the reply that is being written. Pure: what happens is told as actions.

import type { ChatEvent, ChatPage, ChatRow, Message, Problem, ToolCall } from "../bridge/words";

/** A reply that is being written, and its question. */
export interface Live {
  /** The number of the question among the chat's messages; its tool calls and answer come after it. */
  base: number;
  question: string;
  status: "sending" | "waiting" | "answering";
  /** What it waits for, in words. */
  waiting: string;
  tools: ToolCall[];
  answer: string;
  /** The number of the last event that was taken in: one that comes again changes nothing. */
  seen: number;
  /** The line is gone and is being opened again. */
  offline: boolean;
}

export interface ChatState {
  /** Empty: a new chat, which its first question will make. */
  id: string;
  phase: "loading" | "ready" | "missing" | "broken";
  title: string;
  voice: boolean;
  /** A voice reply runs in this chat: what is written is shown as it is saved. */
  spoken: boolean;
  messages: Message[];
  /** There are messages before the first of `messages`. */
  older: boolean;
  live: Live | null;
  problem: Problem | null;
  /** A question that could not be asked goes back to its field. */
  returned: string | null;
}

export const newChat: ChatState = {
  id: "",
  phase: "ready",
  title: "",
  voice: false,
  spoken: false,
  messages: [],
  older: false,
  live: null,
  problem: null,
  returned: null,
};

export type ChatAction =
  | { type: "opened"; id: string; row?: ChatRow }
  /** The newest page: it replaces what it covers. */
  | { type: "loaded"; page: ChatPage }
  /** The page before the first message. */
  | { type: "older"; page: ChatPage }
  | { type: "missing" }
  | { type: "broken"; problem: Problem }
  | { type: "asked"; question: string }
  /** The reply in progress is about to be watched from its first event. */
  | { type: "watching" }
  | { type: "event"; number: number; event: ChatEvent; at: string }
  | { type: "offline" }
  /** The question, or Try again, was refused. */
  | { type: "refused"; problem: Problem }
  /** No reply is known: whatever was shown of one is over. */
  | { type: "lost" }
  | { type: "renamed"; title: string }
  | { type: "taken" }
  | { type: "problem"; problem: Problem | null };

export function reduceChat(state: ChatState, action: ChatAction): ChatState {
  switch (action.type) {
    case "opened":
      return {
        ...newChat,
        id: action.id,
        phase: "loading",
        title: action.row?.title ?? "",
        voice: action.row?.kind === "voice",
      };
    case "loaded":
      return loaded(state, action.page);
    case "older": {
      const first = state.messages[0]?.number ?? Number.POSITIVE_INFINITY;
      const before = action.page.items.filter(({ number }) => number < first);
      return { ...state, messages: [...before, ...state.messages], older: (before[0]?.number ?? 1) > 1 };
    }
    case "missing":
      return { ...state, phase: "missing", live: null };
    case "broken":
      return state.phase === "loading"
        ? { ...state, phase: "broken", problem: action.problem }
        : { ...state, problem: action.problem };
    case "asked":
      return { ...state, problem: null, returned: null, live: begun(state, action.question) };
    case "watching":
      return state.live === null ? { ...state, live: joined(state) } : state;
    case "event":
      return eventful(state, action.number, action.event, action.at);
    case "offline":
      return state.live === null ? state : { ...state, live: { ...state.live, offline: true } };
    case "refused":
      return {
        ...state,
        problem: action.problem,
        returned: state.live?.seen === 0 ? state.live.question : state.returned,
        live: state.live?.seen === 0 ? null : state.live,
      };
    case "lost":
      return { ...state, live: null };
    case "renamed":
      return { ...state, title: action.title };
    case "taken":
      return state.returned === null ? state : { ...state, returned: null };
    case "problem":
      return { ...state, problem: action.problem };
  }
}

/** The number that the next message will have. */
function nextNumber(state: ChatState): number {
  return (state.messages.at(-1)?.number ?? 0) + 1;
}

function begun(state: ChatState, question: string): Live {
  return {
    base: nextNumber(state),
    question,
    status: "sending",
    waiting: "",
    tools: [],
    answer: "",
    seen: 0,
    offline: false,
  };
}

/** The reply that this page finds running: its question is in the chat already, the rest comes as events from the first. */
function joined(state: ChatState): Live {
  const question = state.messages.findLast(({ role }) => role === "user");
  const live = begun(state, question?.text ?? "");
  return question === undefined ? live : { ...live, base: question.number };
}

function loaded(state: ChatState, page: ChatPage): ChatState {
  const first = page.items[0]?.number ?? 1;
  const before = state.messages.filter(({ number }) => number < first);
  // Pages join without a gap, or the newest stands alone.
  const kept = before.at(-1)?.number === first - 1 ? before : [];
  const messages = [...kept, ...page.items];
  return {
    ...state,
    live: placed(state.live, page.items),
    phase: "ready",
    title: page.title,
    voice: page.kind === "voice",
    messages,
    older: (messages[0]?.number ?? 1) > 1,
  };
}

/** A reply that has begun answers the newest question, whatever was asked from elsewhere since this page last read the chat. */
function placed(live: Live | null, items: Message[]): Live | null {
  if (live === null || live.seen === 0) return live;
  const question = items.findLast(({ role, text }) => role === "user" && text === live.question);
  return question === undefined ? live : { ...live, base: question.number };
}

function eventful(state: ChatState, number: number, event: ChatEvent, at: string): ChatState {
  const { live } = state;
  if (live === null || number <= live.seen) return state;
  const next: Live = { ...live, seen: number, offline: false };
  switch (event.type) {
    case "session":
      return { ...state, id: event.id, title: event.title, live: next };
    case "waiting":
      return { ...state, live: { ...next, status: "waiting", waiting: event.message } };
    case "start":
      return { ...state, live: { ...next, status: "answering", waiting: "", question: event.question } };
    case "delta":
      return { ...state, live: { ...next, status: "answering", answer: next.answer + event.text } };
    case "tool":
      return { ...state, live: { ...next, status: "answering", tools: withTool(next.tools, event) } };
    case "done":
    case "stopped":
      return ended(state, next, event.type === "done" ? "complete" : "stopped", event.number, null, at);
    case "failed":
      return ended(state, next, "failed", 0, { code: event.code, message: event.message }, at);
    default:
      return { ...state, live: next }; // a later server's event
  }
}

type ToolEvent = Extract<ChatEvent, { type: "tool" }>;

/** A call is told twice: as it begins, and as it ends. */
export function withTool(tools: ToolCall[], { name, arguments: given, status, result }: ToolEvent): ToolCall[] {
  const call: ToolCall = { name, arguments: given, status, result };
  if (status === "running") return [...tools, call];
  const index = tools.findIndex((tool) => tool.status === "running" && tool.name === name);
  return index < 0 ? [...tools, call] : tools.with(index, call);
}

/** The reply is over: it becomes messages, in the places that it had while it was written. */
function ended(
  state: ChatState,
  live: Live,
  outcome: Message["state"],
  number: number,
  error: Problem | null,
  at: string,
): ChatState {
  const asked: Message = {
    number: live.base,
    role: "user",
    text: live.question,
    state: "complete",
    source: "typed",
    created_at: at,
  };
  const known = state.messages.find((message) => message.number === live.base);
  const tools = live.tools.map(
    (tool, index): Message => ({ ...toolMessage(tool), number: live.base + 1 + index, created_at: at }),
  );
  const answer: Message = {
    number: number > 0 ? number : live.base + tools.length + 1,
    role: "assistant",
    text: live.answer,
    state: outcome,
    source: "typed",
    created_at: at,
    ...(error === null ? {} : { error }),
  };
  const before = state.messages.filter((message) => message.number < live.base);
  return { ...state, messages: [...before, known ?? asked, ...tools, answer], live: null };
}

function toolMessage(tool: ToolCall): Omit<Message, "number" | "created_at"> {
  return {
    role: "tool",
    text: tool.result,
    name: tool.name,
    arguments: tool.arguments,
    state: tool.status === "failed" ? "failed" : "complete",
    source: "typed",
  };
}
