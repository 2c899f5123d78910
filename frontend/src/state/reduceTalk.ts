// The conversation's reducer: pure, over the protocol's events and the window's own acts.

import type { Turn, VoiceEvent } from "../bridge/words";
import type { Ignored, TalkAction, TalkState } from "./talk";
import { change, detached, fromSnapshot, over, pend, settled, without, withTurn } from "./talkSteps";

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
      return detached(state);
    case "dismiss":
      return { ...state, [action.what]: null };
    case "dismissIgnored":
      return { ...state, ignored: state.ignored.filter(({ id }) => id !== action.id) };
  }
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
      return {
        ...state,
        turns: change(state.turns, event.id, to),
        chat: event.chat ?? state.chat,
        asking: null,
        lastOver: event.id,
      };
    }
    case "done":
      return over(state, event.id);
    case "failed": {
      const error = { code: event.code, message: event.message };
      const failed = withTurn(state, event.id, { status: "failed", error, answered_at: at }, at);
      return { ...over(failed, event.id), lastOver: event.id };
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
      return detached(state);
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
