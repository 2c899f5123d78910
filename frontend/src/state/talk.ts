// The voice conversation as a window sees it: a pure reducer over the protocol's events and the window's own acts.

import type {
  ChatRef,
  ConversationState,
  EndedReason,
  IgnoredReason,
  Limits,
  Problem,
  SavingReason,
  Turn,
  VoiceEvent,
} from "../bridge/words";

/** A question of this window that no event has spoken of yet, or that was recognised and not yet taken. */
export interface Pending {
  id: number;
  source: "typed" | "spoken";
  wake: boolean;
  text: string;
}

export interface Ignored {
  id: number;
  reason: IgnoredReason;
  text: string;
}

export interface TalkState {
  active: boolean;
  id: string;
  turns: Turn[];
  lastId: number;
  saving: boolean;
  savingReason: SavingReason | null;
  chat: ChatRef | null;
  look: string;
  model: string;
  workspace: string;
  /** The conversation carries a chat on, which this title names. */
  continuing: string | null;
  limits: Limits;
  pending: Pending[];
  /** What the running reply asks its user. */
  asking: { id: number; question: string } | null;
  /** The turn whose audio may still come. */
  voicing: number | null;
  replaying: number | null;
  /** The spoken form of each turn's sentences, by index. */
  sentences: Record<number, Record<number, string>>;
  ignored: Ignored[];
  ending: { after: number | null } | null;
  ended: EndedReason | null;
  /** The newest refusal, for people. */
  problem: (Problem & { id?: number }) | null;
  /** A question that was refused and goes back into the input. */
  returned: { id: number; text: string } | null;
}

export const defaultLimits: Limits = { waiting: 4, text: 8000, utterance_ms: 60000 };

export const emptyTalk: TalkState = {
  active: false,
  id: "",
  turns: [],
  lastId: 0,
  saving: true,
  savingReason: null,
  chat: null,
  look: "",
  model: "",
  workspace: "",
  continuing: null,
  limits: defaultLimits,
  pending: [],
  asking: null,
  voicing: null,
  replaying: null,
  sentences: {},
  ignored: [],
  ending: null,
  ended: null,
  problem: null,
  returned: null,
};

export type TalkAction =
  | { type: "event"; event: VoiceEvent; at: string }
  | { type: "snapshot"; conversation: ConversationState }
  | { type: "asked"; id: number; text: string; source?: "typed" | "spoken"; wake?: boolean }
  | { type: "retried"; id: number; of: number }
  | { type: "replay"; id: number }
  | { type: "detached" }
  | { type: "dismiss"; what: "problem" | "returned" | "ended" }
  | { type: "dismissIgnored"; id: number };

const keptIgnored = 3;

export function reduceTalk(state: TalkState, action: TalkAction): TalkState {
  switch (action.type) {
    case "event":
      return reduceEvent(state, action.event, action.at);
    case "snapshot":
      return fromSnapshot(state, action.conversation);
    case "asked":
      return pend(state, {
        id: action.id,
        text: action.text,
        source: action.source ?? "typed",
        wake: action.wake ?? false,
      });
    case "retried": {
      const of = state.turns.find((turn) => turn.id === action.of);
      const source = of?.source === "spoken" ? "spoken" : "typed";
      return pend(state, { id: action.id, text: of?.question ?? "", source, wake: of?.wake ?? false });
    }
    case "replay":
      return { ...state, replaying: action.id };
    case "detached":
      // What was on its way to this window is not any more; the next `ready` tells what became of a question just sent.
      return {
        ...state,
        voicing: null,
        replaying: null,
        ending: null,
        pending: state.pending.filter(({ source }) => source === "typed"),
      };
    case "dismiss":
      return { ...state, [action.what]: null };
    case "dismissIgnored":
      return { ...state, ignored: state.ignored.filter(({ id }) => id !== action.id) };
  }
}

function fromSnapshot(state: TalkState, conversation: ConversationState): TalkState {
  if (!conversation.active) {
    return { ...emptyTalk, look: state.look, model: state.model, workspace: state.workspace, limits: state.limits };
  }
  const { id, turns, saving, chat, look, model, workspace, last_id: lastId } = conversation;
  const same = id === state.id;
  return {
    ...emptyTalk,
    limits: state.limits,
    sentences: same ? state.sentences : {},
    ignored: same ? state.ignored : [],
    active: true,
    id,
    turns,
    saving,
    chat,
    look,
    model,
    workspace,
    lastId,
    continuing: continuingOf(turns, chat),
    asking: askingOf(turns),
  };
}

function continuingOf(turns: Turn[], chat: ChatRef | null): string | null {
  return chat !== null && turns.some((turn) => turn.source === "chat") ? chat.title : null;
}

function askingOf(turns: Turn[]): TalkState["asking"] {
  const turn = turns.find(({ status }) => status === "asking");
  if (turn === undefined) return null;
  const call = turn.tools.findLast(({ name, status }) => name === "ask_user" && status === "running");
  const question = (call?.arguments as { question?: unknown } | undefined)?.question;
  return { id: turn.id, question: typeof question === "string" ? question : "" };
}

function pend(state: TalkState, pending: Pending): TalkState {
  const known = state.turns.find((turn) => turn.id === pending.id);
  const lastId = Math.max(state.lastId, pending.id);
  if (known === undefined) {
    // In the desktop window the answer to "ask" may come after the events of its turn: one that was refused meanwhile goes back
    // into the input, one that is over already leaves nothing to wait for.
    if (pending.source === "typed" && pending.id <= state.lastId) {
      const refused = state.problem?.id === pending.id;
      return refused ? { ...state, returned: { id: pending.id, text: pending.text } } : state;
    }
    return { ...state, lastId, pending: [...state.pending.filter(({ id }) => id !== pending.id), pending] };
  }
  if (known.question !== "") return { ...state, lastId };
  return {
    ...state,
    lastId,
    turns: change(state.turns, pending.id, { question: pending.text, source: pending.source }),
  };
}

function change(turns: Turn[], id: number, to: Partial<Turn>): Turn[] {
  return turns.map((turn) => (turn.id === id ? { ...turn, ...to } : turn));
}

function settled(state: TalkState, id: number): TalkState {
  return { ...state, pending: state.pending.filter((pending) => pending.id !== id) };
}

/** The turn `id` begins or changes; one that nothing was known of is made from what is pending. */
function withTurn(state: TalkState, id: number, to: Partial<Turn>, at: string): TalkState {
  const lastId = Math.max(state.lastId, id);
  if (state.turns.some((turn) => turn.id === id))
    return { ...settled(state, id), lastId, turns: change(state.turns, id, to) };
  const pending = state.pending.find((entry) => entry.id === id);
  const turn: Turn = {
    id,
    source: pending?.source ?? "typed",
    wake: pending?.wake ?? false,
    question: pending?.text ?? "",
    status: "queued",
    answer: "",
    tools: [],
    away: false,
    error: null,
    asked_at: at,
    answered_at: null,
    ...to,
  };
  const turns = [...state.turns, turn].sort((a, b) => a.id - b.id);
  return { ...settled(state, id), lastId, turns };
}

function without(state: TalkState, id: number): TalkState {
  return { ...settled(state, id), turns: state.turns.filter((turn) => turn.id !== id) };
}

function over(state: TalkState, id: number): TalkState {
  return {
    ...state,
    asking: state.asking?.id === id ? null : state.asking,
    voicing: state.voicing === id ? null : state.voicing,
  };
}

function withTool(turn: Turn, event: Extract<VoiceEvent, { type: "tool" }>): Turn {
  const { name, status, result } = event;
  const call = { name, arguments: event.arguments, status, result };
  const running = turn.tools.findLastIndex((tool) => tool.name === name && tool.status === "running");
  if (status === "running" || running < 0) return { ...turn, tools: [...turn.tools, call] };
  return { ...turn, tools: turn.tools.map((tool, index) => (index === running ? call : tool)) };
}

function reduceEvent(state: TalkState, event: VoiceEvent, at: string): TalkState {
  switch (event.type) {
    case "ready": {
      const { type: _, resumed, audio: _audio, limits, ...rest } = event;
      const next = fromSnapshot({ ...state, limits }, { ...rest, active: true, held: true, forget_at: null });
      // A question that was sent into a line that was gone never arrived: it goes back into the input.
      const lost = state.pending.find(({ id, source }) => source === "typed" && id > event.last_id);
      const returned = lost === undefined ? null : { id: lost.id, text: lost.text };
      return { ...next, returned, continuing: resumed ? next.continuing : null };
    }
    case "heard":
      return pend(state, { id: event.id, text: event.text, source: "spoken", wake: false });
    case "ignored": {
      const entry: Ignored = { id: event.id, reason: event.reason, text: event.text };
      return { ...without(state, event.id), ignored: [...state.ignored, entry].slice(-keptIgnored) };
    }
    case "queued":
      return withTurn(state, event.id, { status: "queued" }, at);
    case "start": {
      const begun = withTurn(state, event.id, { status: "answering", question: event.question }, at);
      return { ...begun, voicing: event.id, replaying: null };
    }
    case "delta": {
      const turns = state.turns.map((turn) =>
        turn.id === event.id ? { ...turn, answer: turn.answer + event.text } : turn,
      );
      return { ...state, turns };
    }
    case "tool": {
      const turns = state.turns.map((turn) => {
        if (turn.id !== event.id) return turn;
        const next = withTool(turn, event);
        return next.status === "asking" && event.status !== "running"
          ? { ...next, status: "answering" as const }
          : next;
      });
      const asking = state.asking?.id === event.id && event.status !== "running" ? null : state.asking;
      return { ...state, turns, asking };
    }
    case "asking":
      return {
        ...state,
        turns: change(state.turns, event.id, { status: "asking" }),
        asking: { id: event.id, question: event.question },
      };
    case "taken":
      return {
        ...without(state, event.id),
        turns: change(without(state, event.id).turns, event.of, { status: "answering" }),
        asking: state.asking?.id === event.of ? null : state.asking,
      };
    case "sentence": {
      const sentences = { ...state.sentences[event.id], [event.index]: event.text };
      return { ...state, sentences: { ...state.sentences, [event.id]: sentences } };
    }
    case "answered": {
      const to = { status: "answered", answer: event.answer, answered_at: at } as const;
      return { ...state, turns: change(state.turns, event.id, to), chat: event.chat ?? state.chat, asking: null };
    }
    case "done":
      return over(state, event.id);
    case "failed": {
      const error = { code: event.code, message: event.message };
      return over(withTurn(state, event.id, { status: "failed", error, answered_at: at }, at), event.id);
    }
    case "cancelled": {
      const turn = state.turns.find(({ id }) => id === event.id);
      const known = { ...state, lastId: Math.max(state.lastId, event.id) };
      if (turn === undefined || turn.status === "queued") return over(without(known, event.id), event.id);
      if (turn.status === "answered") return over(state, event.id);
      return over({ ...state, turns: change(state.turns, event.id, { status: "stopped", answered_at: at }) }, event.id);
    }
    case "stopped":
      return {
        ...state,
        pending: state.pending.filter(({ source }) => source === "typed"),
        voicing: null,
        asking: null,
      };
    case "replayed":
      return { ...state, replaying: state.replaying === event.id ? null : state.replaying };
    case "saving":
      return { ...state, saving: event.saving, savingReason: event.saving ? null : event.reason };
    case "ending":
      return { ...state, pending: [], ending: { after: event.after } };
    case "ended":
      return {
        ...state,
        active: false,
        ended: event.reason,
        ending: null,
        pending: [],
        voicing: null,
        replaying: null,
        asking: null,
      };
    case "detached":
      return reduceTalk(state, { type: "detached" });
    case "error":
      return refused(state, event);
  }
}

function refused(state: TalkState, event: Extract<VoiceEvent, { type: "error" }>): TalkState {
  const problem = { code: event.code, message: event.message, id: event.id };
  if (event.id === undefined) return { ...state, problem };
  const lastId = Math.max(state.lastId, event.id);
  const pending = state.pending.find(({ id }) => id === event.id);
  const replaying = state.replaying === event.id ? null : state.replaying;
  const next = { ...settled(state, event.id), lastId, problem, replaying };
  return pending === undefined ? next : { ...next, returned: { id: pending.id, text: pending.text } };
}
