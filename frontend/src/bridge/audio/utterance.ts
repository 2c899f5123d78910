// Where an utterance begins and ends, and whether it may leave this client at all. Pure: frames and acts in, steps out.

import { createGate } from "./gate";

export const frameMs = 20;
/** An utterance with fewer voiced frames is a click or a cough: it never leaves the client. */
export const leastVoiced = 12;
const preRollFrames = 300 / frameMs;
/** Hands-free: that much silence ends a turn; a pause in mid-sentence is shorter. */
const defaultPauseMs = 900;
/** Hands-free: a quiet spell inside the first words lets a false start go. */
const falseStartMs = 500;
/** What stays of the server's limit when an utterance is cut by length. */
const lengthMarginMs = 400;

export type UtteranceStep =
  | { type: "onset" /** A voice may have begun: lower Echo's. */ }
  | { type: "begin"; overlap: boolean; frames: Int16Array[] }
  | { type: "audio"; frame: Int16Array }
  | { type: "end"; voiced: number }
  | { type: "dropped"; reason: "short" | "released" };

export type TalkMode = "off" | "hold" | "free";

export interface UtteranceConfig {
  utteranceMs: number;
  pauseMs?: number;
}

export interface UtteranceFrame {
  steps: UtteranceStep[];
  level: number;
  hearing: boolean;
}

export interface Utterances {
  /** Push to talk: the utterance is what lies between press and release. */
  press(overlap: boolean): UtteranceStep[];
  release(): UtteranceStep[];
  /** Hands-free: utterances are found in the stream. */
  free(on: boolean): UtteranceStep[];
  frame(frame: Int16Array, overlap: boolean): UtteranceFrame;
  limit(utteranceMs: number): void;
  /** How long a pause ends a turn in hands-free. */
  patience(pauseMs: number): void;
  mode(): TalkMode;
}

export function createUtterances(config: UtteranceConfig): Utterances {
  const gate = createGate();
  let pauseFrames = (config.pauseMs ?? defaultPauseMs) / frameMs;
  let maxFrames = (config.utteranceMs - lengthMarginMs) / frameMs;
  let mode: TalkMode = "off";
  let preRoll: Int16Array[] = [];
  let held: Int16Array[] = []; // not sent yet: fewer than 12 voiced frames so far
  let heard = false; // an utterance is open, sent or not
  let sent = false;
  let voiced = 0;
  let silent = 0;
  let length = 0;
  let overlapped = false;

  function open(overlap: boolean): void {
    heard = true;
    sent = false;
    voiced = 0;
    silent = 0;
    overlapped = overlap;
    held = preRoll;
    length = held.length;
    preRoll = [];
  }

  function close(): UtteranceStep[] {
    if (!heard) return [];
    heard = false;
    const steps: UtteranceStep[] = sent ? [{ type: "end", voiced }] : [{ type: "dropped", reason: "short" }];
    held = [];
    return steps;
  }

  function take(frame: Int16Array, isVoiced: boolean): UtteranceStep[] {
    length++;
    if (isVoiced) {
      voiced++;
      silent = 0;
    } else {
      silent++;
    }
    if (sent) return [{ type: "audio", frame }];
    held.push(frame);
    if (voiced < leastVoiced) return [];
    sent = true;
    const frames = held;
    held = [];
    return [{ type: "begin", overlap: overlapped, frames }];
  }

  function remember(frame: Int16Array): void {
    preRoll.push(frame);
    if (preRoll.length > preRollFrames) preRoll.shift();
  }

  return {
    mode: () => mode,
    limit(utteranceMs) {
      maxFrames = (utteranceMs - lengthMarginMs) / frameMs;
    },
    patience(pauseMs) {
      pauseFrames = pauseMs / frameMs;
    },
    press(overlap) {
      const steps = mode === "free" ? close() : [];
      mode = "hold";
      open(overlap);
      return [...steps, { type: "onset" }];
    },
    release() {
      if (mode !== "hold") return [];
      mode = "off";
      return close();
    },
    free(on) {
      const steps = close();
      mode = on ? "free" : "off";
      return steps;
    },
    frame(frame, overlap) {
      const { voiced: isVoiced, level } = gate.frame(frame);
      if (mode === "off" || (mode === "hold" && !heard)) {
        remember(frame);
        return { steps: [], level, hearing: false };
      }
      const steps: UtteranceStep[] = [];
      if (!heard) {
        if (!isVoiced) {
          remember(frame);
          return { steps, level, hearing: false };
        }
        open(overlap);
      }
      const before = voiced;
      steps.push(...take(frame, isVoiced));
      if (mode === "free" && before < leastVoiced && voiced >= leastVoiced) steps.unshift({ type: "onset" });
      const pause = sent ? pauseFrames : falseStartMs / frameMs;
      if (length >= maxFrames || (mode === "free" && silent >= pause)) steps.push(...close());
      return { steps, level, hearing: heard && (mode === "hold" || sent) };
    },
  };
}
