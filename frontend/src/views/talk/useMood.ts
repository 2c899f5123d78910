import { useCallback } from "react";
import { useCapture, useEcho, useEchoState, usePlayback } from "../../hooks/useEcho";
import { presenceOf } from "../../state/derive";
import type { OrbMood } from "../../ui/Orb";

/** What Echo is doing, for the orb and the status line. */
export function useMood(): OrbMood {
  const talk = useEchoState((state) => state.talk);
  const state = useCapture((status) => status.state);
  const muted = useCapture((status) => status.muted);
  const speaking = usePlayback((status) => status.speaking);
  return presenceOf(talk, { state, muted, level: 0, problem: "" }, speaking);
}

/** The level that the orb's ring follows: the microphone's while it hears, else Echo's own voice. */
export function useOrbLevel(): (listener: (level: number) => void) => () => void {
  const { capture, speaker } = useEcho().transport;
  return useCallback(
    (listener) => {
      const hears = () => capture.status().state === "hearing" || !speaker.status().speaking;
      const stops = [
        capture.listen((status) => {
          if (hears()) listener(status.state === "closed" ? 0 : status.level);
        }),
        speaker.listen((status) => {
          if (!hears()) listener(status.level);
        }),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
    [capture, speaker],
  );
}

export function useMicrophoneLevel(): (listener: (level: number) => void) => () => void {
  const { capture } = useEcho().transport;
  return useCallback((listener) => capture.listen((status) => listener(status.muted ? 0 : status.level)), [capture]);
}
