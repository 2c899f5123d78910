// The browser's side of talking: opens the microphone on the user's act, finds utterances, and hands them to the link.

import { createLevel } from "../signal";
import { type CapturePort, type CaptureStatus, closedCapture } from "../transport";
import { type MicrophoneStream, microphoneProblem, type OpenMicrophone } from "./microphone";
import { createUtterances, frameMs, type UtteranceStep } from "./utterance";

/** People let go of the key with the last word: the microphone stays open for its end. */
const tailMs = 160;
/** "Listening" is always true: a microphone that gives nothing for so long is a problem. */
const watchdogMs = 2000;

export interface CaptureSink {
  /** Opens a spoken turn; false where the link cannot take one. */
  begin(overlap: boolean): boolean;
  audio(frame: Int16Array): void;
  end(voiced: number): void;
  /** The open turn is forgotten. */
  cancel(): void;
  /** The user may be speaking, or no longer is: Echo's voice is lowered meanwhile. */
  duck(on: boolean): void;
  overlaps(): boolean;
}

export interface CaptureConfig {
  open: OpenMicrophone;
  sink: CaptureSink;
  device(): string;
  /** How long a pause ends a turn in hands-free; 0: as is usual. */
  pauseMs(): number;
}

export interface BrowserCapture extends CapturePort {
  limit(utteranceMs: number): void;
  /** The link was lost: an open turn went with it. */
  forget(): void;
}

export function createCapture({ open, sink, device, pauseMs }: CaptureConfig): BrowserCapture {
  const status = createLevel<CaptureStatus>(closedCapture);
  const utterances = createUtterances({ utteranceMs: 60000 });
  let stream: MicrophoneStream | null = null;
  let wanted = 0; // grows with each act that opens or closes: an opening that was overtaken closes itself
  let muted = false;
  let turnOpen = false;
  let watchdog: ReturnType<typeof setTimeout> | undefined;
  let tail: ReturnType<typeof setTimeout> | undefined;

  const tell = (change: Partial<CaptureStatus>) => status.emit({ ...status.current(), ...change, muted });

  function watch(): void {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => {
      tell({ state: "problem", level: 0, problem: "The microphone gives no sound. Check that it is connected." });
    }, watchdogMs);
  }

  function carry(steps: UtteranceStep[]): void {
    for (const step of steps) {
      switch (step.type) {
        case "onset":
          sink.duck(true);
          break;
        case "begin":
          turnOpen = sink.begin(step.overlap);
          if (turnOpen) for (const frame of step.frames) sink.audio(frame);
          break;
        case "audio":
          if (turnOpen) sink.audio(step.frame);
          break;
        case "end":
          if (turnOpen) sink.end(step.voiced);
          turnOpen = false;
          sink.duck(false);
          break;
        case "dropped":
          sink.duck(false);
          break;
      }
    }
  }

  function hear(frame: Int16Array): void {
    watch();
    if (muted) {
      tell({ state: "listening", level: 0, problem: "" });
      return;
    }
    const { steps, level, hearing } = utterances.frame(frame, sink.overlaps());
    carry(steps);
    tell({ state: hearing ? "hearing" : "listening", level, problem: "" });
  }

  function close(): void {
    wanted++;
    clearTimeout(watchdog);
    stream?.close();
    stream = null;
  }

  async function ensure(): Promise<void> {
    if (stream !== null) return;
    const mine = ++wanted;
    tell({ state: "opening", level: 0, problem: "" });
    try {
      const opened = await open(device(), {
        frame: (frame) => {
          if (mine === wanted) hear(frame);
        },
        lost: () => {
          if (mine !== wanted) return;
          quit();
          tell({ state: "problem", level: 0, problem: "The microphone was unplugged. Plug it in, or type instead." });
        },
      });
      if (mine !== wanted) {
        opened.close();
        return;
      }
      stream = opened;
      watch();
    } catch (thrown) {
      if (mine !== wanted) return;
      carry(utterances.free(false));
      tell({ state: "problem", level: 0, problem: microphoneProblem(thrown) });
    }
  }

  function quit(): void {
    clearTimeout(tail);
    tail = undefined;
    const mode = utterances.mode();
    carry(mode === "hold" ? utterances.release() : utterances.free(false));
    close();
    tell({ state: "closed", level: 0, problem: "" });
  }

  return {
    status: status.current,
    listen: status.listen,
    limit: utterances.limit,
    press() {
      if (tail !== undefined) {
        clearTimeout(tail);
        tail = undefined;
        carry(utterances.release());
      }
      carry(utterances.press(sink.overlaps()));
      void ensure();
    },
    release() {
      if (utterances.mode() !== "hold" || tail !== undefined) return;
      if (stream === null) {
        quit();
        return;
      }
      tail = setTimeout(quit, tailMs + frameMs);
    },
    start() {
      if (pauseMs() > 0) utterances.patience(pauseMs());
      carry(utterances.free(true));
      void ensure();
    },
    stop: quit,
    setMuted(on) {
      muted = on;
      if (on && turnOpen) {
        sink.cancel();
        turnOpen = false;
      }
      if (on && utterances.mode() === "free") {
        utterances.free(true);
        sink.duck(false);
      }
      tell({});
    },
    forget() {
      turnOpen = false;
    },
  };
}
