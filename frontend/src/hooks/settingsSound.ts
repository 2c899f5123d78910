// The sound of the Settings page: the microphone's level, a test tone, and how a voice sounds.

import { useCallback, useEffect, useRef, useState } from "react";
import { createGate } from "../bridge/audio/gate";
import { type MicrophoneStream, microphoneProblem, openMicrophone } from "../bridge/audio/microphone";
import { asEchoError, problemOf } from "../bridge/problem";
import { createLevel } from "../bridge/signal";

/** As many voiced frames as make an utterance. */
const heardFrames = 12;
const testMs = 30_000;

export interface MicrophoneTest {
  state: "off" | "opening" | "on";
  heard: boolean;
  problem: string;
  start(): void;
  stop(): void;
  level(listener: (level: number) => void): () => void;
}

/** Opens the microphone to show that it hears, keeps nothing, and closes it by itself after half a minute. */
export function useMicrophoneTest(): MicrophoneTest {
  const [state, setState] = useState<MicrophoneTest["state"]>("off");
  const [heard, setHeard] = useState(false);
  const [problem, setProblem] = useState("");
  const [signal] = useState(() => createLevel(0));
  const open = useRef<{ stream: MicrophoneStream | null; timer: ReturnType<typeof setTimeout> } | null>(null);

  const stop = useCallback(() => {
    const closing = open.current;
    open.current = null;
    if (closing !== null) {
      clearTimeout(closing.timer);
      closing.stream?.close();
    }
    signal.emit(0);
    setState("off");
  }, [signal]);

  const start = useCallback(() => {
    stop();
    setHeard(false);
    setProblem("");
    setState("opening");
    const mine = { stream: null as MicrophoneStream | null, timer: setTimeout(stop, testMs) };
    open.current = mine;
    const gate = createGate();
    let voiced = 0;
    const fail = (words: string) => {
      if (open.current !== mine) return;
      stop();
      setProblem(words);
    };
    openMicrophone("", {
      frame(samples) {
        if (open.current !== mine) return;
        const frame = gate.frame(samples);
        signal.emit(frame.level);
        if (frame.voiced) voiced++;
        if (voiced === heardFrames) setHeard(true);
      },
      lost: () => fail("The microphone went away. Plug it in again, then test once more."),
    }).then(
      (stream) => {
        if (open.current !== mine) {
          stream.close();
          return;
        }
        mine.stream = stream;
        setState("on");
      },
      (thrown: unknown) => fail(microphoneProblem(thrown)),
    );
  }, [signal, stop]);

  useEffect(() => stop, [stop]);
  return { state, heard, problem, start, stop, level: signal.listen };
}

export interface Playing {
  /** What plays now; empty: nothing. */
  playing: string;
  problem: string;
  /** Two soft notes. */
  tone(): void;
  voice(name: string, voice: string, text: string): void;
  stop(): void;
}

const notes = [523.25, 783.99];
const noteSeconds = 0.5;

/** Plays one sound at a time, by a click. */
export function usePlaying(): Playing {
  const [playing, setPlaying] = useState("");
  const [problem, setProblem] = useState("");
  const made = useRef<AudioContext | null>(null);
  const turn = useRef(0);

  const stop = useCallback(() => {
    turn.current++;
    void made.current?.close().catch(() => undefined);
    made.current = null;
    setPlaying("");
  }, []);
  useEffect(() => stop, [stop]);

  const begin = useCallback(
    (name: string) => {
      stop();
      setProblem("");
      setPlaying(name);
      const context = new AudioContext();
      made.current = context;
      return { context, mine: turn.current };
    },
    [stop],
  );

  const tone = useCallback(() => {
    const { context, mine } = begin("tone");
    const start = context.currentTime + 0.06;
    notes.forEach((frequency, index) => {
      const oscillator = context.createOscillator();
      const gain = context.createGain();
      const at = start + index * noteSeconds * 0.6;
      oscillator.frequency.value = frequency;
      gain.gain.setValueAtTime(0, at);
      gain.gain.linearRampToValueAtTime(0.22, at + 0.03);
      gain.gain.exponentialRampToValueAtTime(0.001, at + noteSeconds);
      oscillator.connect(gain).connect(context.destination);
      oscillator.start(at);
      oscillator.stop(at + noteSeconds);
      if (index === notes.length - 1) {
        oscillator.onended = () => {
          if (turn.current === mine) stop();
        };
      }
    });
  }, [begin, stop]);

  const voice = useCallback(
    (name: string, id: string, text: string) => {
      const { context, mine } = begin(name);
      preview(id, text)
        .then((wav) => context.decodeAudioData(wav))
        .then(
          (buffer) => {
            if (turn.current !== mine) return;
            const source = context.createBufferSource();
            source.buffer = buffer;
            source.connect(context.destination);
            source.onended = () => {
              if (turn.current === mine) stop();
            };
            source.start();
          },
          (thrown: unknown) => {
            if (turn.current !== mine) return;
            stop();
            setProblem(asEchoError(thrown).message);
          },
        );
    },
    [begin, stop],
  );

  return { playing, problem, tone, voice, stop };
}

async function preview(voice: string, text: string): Promise<ArrayBuffer> {
  const response = await fetch("/api/speech/preview", {
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(voice === "" ? { text } : { voice, text }),
  });
  if (!response.ok) throw problemOf(response.status, await response.json().catch(() => undefined));
  return response.arrayBuffer();
}
