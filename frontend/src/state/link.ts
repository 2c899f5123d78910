// Whether this window is attached, and when it attaches by itself (R6). Pure: no clock, no socket; effects are told.

import type { ConversationState, Problem, SessionRequest } from "../bridge/words";

export type LinkState =
  | { name: "hidden" }
  /** Asks for the conversation's state, which starts nothing. */
  | { name: "looking"; attempt: number }
  /** Not attached; `offer` says what a click would do. */
  | { name: "away"; offer: "start" | "continue" }
  /** Another window is attached. Only a user's act takes the conversation from it. */
  | { name: "held"; request: SessionRequest }
  | { name: "connecting"; request: SessionRequest; attempt: number; byUser: boolean }
  | { name: "attached" }
  /** Was attached and lost it: comes back by itself. */
  | { name: "waiting"; request: SessionRequest; attempt: number; next: "connect" | "look" }
  /** Another window took over: it does not come back by itself. */
  | { name: "taken" }
  | { name: "ended" };

export type LinkEvent =
  | { type: "shown" }
  | { type: "hidden" }
  | { type: "state"; conversation: ConversationState }
  | { type: "unreachable"; problem: Problem }
  /** A user's act: talk, type, Continue, a chat to carry on. `take` only where the user said so. */
  | { type: "wanted"; request: SessionRequest }
  | { type: "opened" }
  /** A conversation reached this window without its asking: the desktop app attached it, by a key or a wake. */
  | { type: "joined" }
  | { type: "refused"; problem: Problem }
  | { type: "lost" }
  | { type: "timer" }
  | { type: "detached" }
  /** The user gave the conversation to another window. */
  | { type: "handed" }
  | { type: "ended" }
  /** The conversation that was ended from here without being attached. */
  | { type: "forgotten" };

export type LinkEffect =
  | { type: "look" }
  | { type: "open"; request: SessionRequest }
  | { type: "leave" }
  | { type: "timer"; ms: number }
  | { type: "problem"; problem: Problem };

export interface LinkStep {
  state: LinkState;
  effects: LinkEffect[];
}

export const hiddenLink: LinkState = { name: "hidden" };

const longestWaitMs = 8000;
/** A server that still thinks that the lost socket is attached notices soon: until then `held` is not believed. */
const heldPatience = 5;

/** How long before the next try: at once, then doubling from a quarter of a second. */
export function backoffMs(attempt: number): number {
  return attempt === 0 ? 0 : Math.min(longestWaitMs, 250 * 2 ** (attempt - 1));
}

function stay(state: LinkState): LinkStep {
  return { state, effects: [] };
}

function open(request: SessionRequest, attempt: number, byUser: boolean): LinkStep {
  return { state: { name: "connecting", request, attempt, byUser }, effects: [{ type: "open", request }] };
}

function wait(request: SessionRequest, attempt: number, next: "connect" | "look"): LinkStep {
  return {
    state: { name: "waiting", request, attempt, next },
    effects: [{ type: "timer", ms: backoffMs(attempt) }],
  };
}

/** What may be asked again without the user: never to take, never to begin afresh. */
function plain(): SessionRequest {
  return {};
}

export function stepLink(state: LinkState, event: LinkEvent): LinkStep {
  switch (event.type) {
    case "hidden": {
      if (state.name === "hidden") return stay(state);
      const leave = state.name === "attached" || state.name === "connecting";
      return { state: { name: "hidden" }, effects: leave ? [{ type: "leave" }] : [] };
    }
    case "shown":
      if (state.name !== "hidden") return stay(state);
      return { state: { name: "looking", attempt: 0 }, effects: [{ type: "look" }] };
    case "state":
      return state.name === "looking" ? looked(event.conversation) : stay(state);
    case "unreachable":
      if (state.name !== "looking") return stay(state);
      return {
        state: { name: "waiting", request: plain(), attempt: state.attempt + 1, next: "look" },
        effects: [
          { type: "problem", problem: event.problem },
          { type: "timer", ms: backoffMs(state.attempt + 1) },
        ],
      };
    case "wanted":
      return wanted(state, event.request);
    case "opened":
      return state.name === "connecting" ? stay({ name: "attached" }) : stay(state);
    case "joined":
      return stay({ name: "attached" });
    case "refused":
      return state.name === "connecting" ? refused(state, event.problem) : stay(state);
    case "lost":
      // At once: the reply that runs goes on, and the user need not see that the line was gone.
      return state.name === "attached" ? wait(plain(), 0, "connect") : stay(state);
    case "timer":
      if (state.name !== "waiting") return stay(state);
      if (state.next === "connect") return open(state.request, state.attempt, false);
      return { state: { name: "looking", attempt: state.attempt }, effects: [{ type: "look" }] };
    case "detached":
      return state.name === "hidden" ? stay(state) : stay({ name: "taken" });
    case "handed":
      return { state: { name: "taken" }, effects: [{ type: "leave" }] };
    case "ended":
      if (state.name !== "attached") return stay(state);
      return { state: { name: "ended" }, effects: [{ type: "leave" }] };
    case "forgotten":
      return state.name === "away" ? stay({ name: "away", offer: "start" }) : stay(state);
  }
}

/** R6: a reply that runs or waits is joined at once; one that is over is shown without connecting. */
function looked(conversation: ConversationState): LinkStep {
  if (conversation.busy) {
    if (conversation.held) return stay({ name: "held", request: plain() });
    return open(plain(), 0, false);
  }
  if (conversation.held) return stay({ name: "held", request: plain() });
  return stay({ name: "away", offer: conversation.active ? "continue" : "start" });
}

function wanted(state: LinkState, request: SessionRequest): LinkStep {
  switch (state.name) {
    case "hidden":
      return stay(state);
    case "attached": {
      // Naming nothing changes nothing. A takeover needs a ticket of its own, which this very window's attachment would refuse.
      if (Object.keys(request).length === 0) return stay(state);
      return open({ ...request, take: true }, 0, true);
    }
    case "connecting":
      if (Object.keys(request).length === 0) return stay({ ...state, byUser: true });
      return open(request, 0, true);
    default:
      return open(request, 0, true);
  }
}

function refused(state: Extract<LinkState, { name: "connecting" }>, problem: Problem): LinkStep {
  const { request, attempt, byUser } = state;
  if (problem.code === "held") {
    if (byUser || attempt >= heldPatience) return stay({ name: "held", request });
    return wait(request, attempt + 1, "connect");
  }
  if (problem.code === "unreachable" || problem.code === "bad_ticket") {
    const next = wait(request, attempt + 1, "connect");
    return attempt === 0 && !byUser ? next : { ...next, effects: [...next.effects, { type: "problem", problem }] };
  }
  return { state: { name: "looking", attempt: 0 }, effects: [{ type: "problem", problem }, { type: "look" }] };
}
