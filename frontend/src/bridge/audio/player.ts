// Echo's voice in a browser: frames of 24 kHz audio are scheduled one after the other on the audio clock.

import type { VoiceFrame } from "../frames";
import { createLevel } from "../signal";
import { type PlaybackStatus, type SpeakerPort, silentPlayback } from "../transport";
import { levelDb, meterOf } from "./gate";

export const outputRate = 24000;
const duckedGain = 0.2;
const rampS = 0.018; // no click, and down before a second syllable
const leadS = 0.06; // what a first frame waits, so that the next ones arrive before it ends
const creditStepMs = 200;
const overlapTailMs = 1000;

/** The little of Web Audio that the player needs. */
export interface AudioOut {
  now(): number;
  suspended(): boolean;
  resume(): Promise<void>;
  /** Plays samples at that time; gives what silences them. */
  play(pcm: Int16Array, at: number): () => void;
  ramp(gain: number, seconds: number): void;
}

export interface PlayerPorts {
  out: AudioOut;
  credit(turn: number, playedMs: number): void;
}

interface Piece {
  turn: number;
  sentence: number;
  from: number;
  until: number;
  /** The turn's position, in samples, at the end of this piece. */
  position: number;
  level: number;
  silence(): void;
}

export interface Player extends SpeakerPort {
  sentence(turn: number, index: number): void;
  frame(frame: VoiceFrame): void;
  /** Silences a turn, or all; what arrives of it later is dropped. */
  stop(turn?: number): void;
  /** The server has ended that turn's voice: audio of it from here on is a replay. */
  settle(turn?: number): void;
  duck(on: boolean): void;
  /** Advances what depends on time: credit, the sentence being spoken, the level. */
  tick(): void;
  /** Whether speech that begins now overlaps Echo's voice. */
  overlaps(): boolean;
  reset(): void;
}

export function createPlayer({ out, credit }: PlayerPorts): Player {
  const status = createLevel<PlaybackStatus>(silentPlayback);
  const stopped = new Set<number>();
  let allStopped = false;
  let pieces: Piece[] = [];
  let next = 0;
  let spoken = { turn: 0, index: -1 };
  let credited = { turn: 0, ms: -1 };
  let ducked = false;
  let blocked = false;
  let lastSpoke = Number.NEGATIVE_INFINITY;

  function tell(change: Partial<PlaybackStatus>): void {
    const last = status.current();
    const news = { ...last, ...change };
    const same = (Object.keys(news) as (keyof PlaybackStatus)[]).every((key) => news[key] === last[key]);
    if (!same) status.emit(news);
  }

  function report(turn: number, samples: number, force: boolean): void {
    const ms = Math.floor((samples * 1000) / outputRate);
    if (credited.turn === turn && ms <= credited.ms) return;
    if (!force && credited.turn === turn && ms - credited.ms < creditStepMs) return;
    credited = { turn, ms };
    credit(turn, ms);
  }

  function silence(of: (piece: Piece) => boolean): void {
    for (const piece of pieces) if (of(piece)) piece.silence();
    pieces = pieces.filter((piece) => !of(piece));
    const last = pieces[pieces.length - 1];
    next = last === undefined ? 0 : last.until;
  }

  function tick(): void {
    const now = out.now();
    let current: Piece | undefined;
    for (const piece of pieces) {
      if (piece.until <= now) report(piece.turn, piece.position, piece === pieces[pieces.length - 1]);
      else if (current === undefined && piece.from <= now) current = piece;
    }
    if (current !== undefined) {
      const left = Math.round((current.until - now) * outputRate);
      report(current.turn, current.position - left, false);
    }
    pieces = pieces.filter((piece) => piece.until > now);
    const speaking = pieces.length > 0;
    if (speaking) lastSpoke = now;
    const shown = current ?? pieces[0];
    tell({
      speaking,
      turn: shown?.turn ?? status.current().turn,
      sentence: speaking ? (shown?.sentence ?? -1) : -1,
      level: current?.level ?? 0,
      problem: blocked ? "blocked" : "",
      ducked,
    });
  }

  return {
    status: status.current,
    listen: status.listen,
    sentence(turn, index) {
      spoken = { turn, index };
    },
    frame({ turn, offset, pcm }) {
      if (allStopped || stopped.has(turn) || pcm.length === 0) return;
      if (offset === 0 && credited.turn === turn) credited = { turn, ms: -1 };
      if (out.suspended()) {
        blocked = true;
        void out.resume().then(tick, () => undefined);
        report(turn, offset + pcm.length, true);
        tick();
        return;
      }
      blocked = false;
      const now = out.now();
      const at = next > now ? next : now + leadS;
      next = at + pcm.length / outputRate;
      pieces.push({
        turn,
        sentence: spoken.turn === turn ? spoken.index : -1,
        from: at,
        until: next,
        position: offset + pcm.length,
        level: meterOf(levelDb(pcm)),
        silence: out.play(pcm, at),
      });
      tick();
    },
    stop(turn) {
      if (turn === undefined) {
        allStopped = true;
        silence(() => true);
      } else {
        stopped.add(turn);
        silence((piece) => piece.turn === turn);
      }
      tick();
    },
    settle(turn) {
      if (turn === undefined) {
        allStopped = false;
        stopped.clear();
      } else {
        stopped.delete(turn);
      }
    },
    duck(on) {
      if (on === ducked) return;
      ducked = on;
      out.ramp(on ? duckedGain : 1, rampS);
      tick();
    },
    tick,
    overlaps() {
      const now = out.now();
      return pieces.some((piece) => piece.until > now) || (now - lastSpoke) * 1000 < overlapTailMs;
    },
    resume() {
      void out.resume().then(() => {
        blocked = out.suspended();
        tick();
      });
    },
    reset() {
      silence(() => true);
      stopped.clear();
      allStopped = false;
      credited = { turn: 0, ms: -1 };
      spoken = { turn: 0, index: -1 };
      tick();
    },
  };
}
