// The small steps that the conversation's reducer is made of.

import type { ChatRef, ConversationState, Turn } from "../bridge/words";
import { emptyTalk, type Pending, type TalkState } from "./talk";

export function fromSnapshot(state: TalkState, conversation: ConversationState): TalkState {
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

export function continuingOf(turns: Turn[], chat: ChatRef | null): string | null {
  return chat !== null && turns.some((turn) => turn.source === "chat") ? chat.title : null;
}

export function askingOf(turns: Turn[]): TalkState["asking"] {
  const turn = turns.find(({ status }) => status === "asking");
  if (turn === undefined) return null;
  const call = turn.tools.findLast(({ name, status }) => name === "ask_user" && status === "running");
  const question = (call?.arguments as { question?: unknown } | undefined)?.question;
  return { id: turn.id, question: typeof question === "string" ? question : "" };
}

export function pend(state: TalkState, pending: Pending): TalkState {
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

export function change(turns: Turn[], id: number, to: Partial<Turn>): Turn[] {
  return turns.map((turn) => (turn.id === id ? { ...turn, ...to } : turn));
}

export function settled(state: TalkState, id: number): TalkState {
  return { ...state, pending: state.pending.filter((pending) => pending.id !== id) };
}

/** The turn `id` begins or changes; one that nothing was known of is made from what is pending. */
export function withTurn(state: TalkState, id: number, to: Partial<Turn>, at: string): TalkState {
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

export function without(state: TalkState, id: number): TalkState {
  return { ...settled(state, id), turns: state.turns.filter((turn) => turn.id !== id) };
}

export function over(state: TalkState, id: number): TalkState {
  return {
    ...state,
    asking: state.asking?.id === id ? null : state.asking,
    voicing: state.voicing === id ? null : state.voicing,
  };
}

/** What was on its way to this window is not any more; the next `ready` tells what became of a question just sent. */
export function detached(state: TalkState): TalkState {
  return {
    ...state,
    voicing: null,
    replaying: null,
    ending: null,
    pending: state.pending.filter(({ source }) => source === "typed"),
  };
}
