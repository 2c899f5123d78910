// The voice conversation as a window sees it, and the acts that change it.

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
  /** The turn whose answer this window saw end last: what a screen reader is told of. */
  lastOver: number | null;
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
  lastOver: null,
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
