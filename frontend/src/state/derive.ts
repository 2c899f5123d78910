// What the views show, derived from the state: nothing here is stored.

import type { CaptureStatus, PlaybackStatus } from "../bridge/transport";
import type { Look, Turn } from "../bridge/words";
import type { LinkState } from "./link";
import type { EchoState } from "./store";
import type { TalkState } from "./talk";

export type Presence = "idle" | "listening" | "thinking" | "speaking" | "asking" | "trouble";

export function isOver(turn: Turn): boolean {
  return turn.status === "answered" || turn.status === "stopped" || turn.status === "failed";
}

export function runningTurn(talk: TalkState): Turn | undefined {
  return talk.turns.find(({ status }) => status === "answering" || status === "asking");
}

/** Waiting questions in their order: a turn's place is its position. */
export function waitingTurns(talk: TalkState): Turn[] {
  return talk.turns.filter(({ status }) => status === "queued");
}

export function isListening(capture: CaptureStatus): boolean {
  return capture.state === "listening" || capture.state === "hearing";
}

export function presenceOf(talk: TalkState, capture: CaptureStatus, speaking: boolean): Presence {
  if (capture.state === "hearing") return "listening";
  const running = runningTurn(talk);
  if (talk.asking !== null && !speaking) return "asking";
  if (speaking || talk.replaying !== null) return "speaking";
  if (running !== undefined || talk.pending.length > 0) return "thinking";
  // A written answer whose voice is still on its way, and a question whose turn comes next: there is something to stop.
  if (talk.voicing !== null) return "speaking";
  if (waitingTurns(talk).length > 0) return "thinking";
  if (isListening(capture) && !capture.muted) return "listening";
  return capture.state === "problem" ? "trouble" : "idle";
}

/** The words of the status line. */
export function statusWords(presence: Presence, link: LinkState): string {
  switch (presence) {
    case "listening":
      return "Listening";
    case "thinking":
      return "Thinking";
    case "speaking":
      return "Speaking";
    case "asking":
      return "Waiting for you";
    case "trouble":
      return "Trouble with the microphone";
    case "idle":
      return idleWords(link);
  }
}

function idleWords(link: LinkState): string {
  switch (link.name) {
    case "attached":
      return "Ready";
    case "connecting":
    case "looking":
    case "waiting":
      return "Connecting";
    case "held":
    case "taken":
      return "In another window";
    case "away":
    case "ended":
    case "hidden":
      return "Resting";
  }
}

export function savedWords(talk: TalkState): string {
  return talk.saving ? "saved in Chat" : "not saved";
}

/** Stop reply is there whenever Echo answers, waits or speaks. */
export function canStop(talk: TalkState, playback: PlaybackStatus): boolean {
  return (
    runningTurn(talk) !== undefined ||
    waitingTurns(talk).length > 0 ||
    talk.pending.length > 0 ||
    talk.voicing !== null ||
    talk.replaying !== null ||
    playback.speaking
  );
}

export function isBusy(talk: TalkState): boolean {
  return runningTurn(talk) !== undefined || waitingTurns(talk).length > 0 || talk.pending.length > 0;
}

export function ignoredWords(reason: string): string {
  switch (reason) {
    case "short":
      return "That was too short to hear.";
    case "empty":
      return "Echo heard no words.";
    case "filler":
      return "Echo took that for thinking aloud.";
    case "sound":
      return "Echo took that for a sound.";
    case "echo":
      return "Echo took that for its own voice.";
    default:
      return "Echo took that for no question.";
  }
}

/** What a tool does, for people. */
export function toolWords(name: string, status: string): string {
  const running = status === "running";
  switch (name) {
    case "current_time":
      return running ? "Looking at the clock" : "Looked at the clock";
    case "calculate":
      return running ? "Calculating" : "Calculated";
    case "conversation_history":
      return running ? "Looking back in this chat" : "Looked back in this chat";
    case "search_chats":
      return running ? "Searching your chats" : "Searched your chats";
    case "list_files":
      return running ? "Looking through your files" : "Looked through your files";
    case "read_file":
      return running ? "Reading a file" : "Read a file";
    case "search_files":
      return running ? "Searching your files" : "Searched your files";
    case "ask_user":
      return running ? "Asking you" : "Asked you";
    default:
      return running ? `Using ${name}` : `Used ${name}`;
  }
}

/** The look that is shown: the conversation's while this window is in it, else the chosen one. */
export function lookOf({ link, talk, settings, looks }: EchoState): Look | undefined {
  const id = link.name === "attached" && talk.look !== "" ? talk.look : settings?.look;
  return looks.find((look) => look.id === id);
}

/** The look that takes over once the reply in progress is answered. */
export function nextLook(state: EchoState): Look | undefined {
  const { link, talk, settings, looks } = state;
  if (link.name !== "attached" || settings === null || settings.look === talk.look || !isBusy(talk)) return undefined;
  return looks.find((look) => look.id === settings.look);
}
