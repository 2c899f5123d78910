// The browser's microphone as frames of 20 ms at 16 kHz.

import workletUrl from "./capture.worklet.ts?worker&url";

export interface MicrophoneStream {
  close(): void;
}

export interface MicrophoneHandlers {
  frame(frame: Int16Array): void;
  /** The device went away while it was open. */
  lost(): void;
}

export type OpenMicrophone = (device: string, handlers: MicrophoneHandlers) => Promise<MicrophoneStream>;

/** Opens the microphone. Call it on a user's act alone: the browser may ask for leave. */
export async function openMicrophone(device: string, handlers: MicrophoneHandlers): Promise<MicrophoneStream> {
  if (navigator.mediaDevices === undefined) throw new DOMException("insecure", "NotSupportedError");
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: {
      channelCount: 1,
      echoCancellation: true,
      noiseSuppression: true,
      autoGainControl: true,
      ...(device === "" ? {} : { deviceId: { ideal: device } }),
    },
  });
  const context = new AudioContext({ latencyHint: "interactive" });
  let open = true;
  const close = () => {
    open = false;
    for (const track of stream.getTracks()) track.stop();
    void context.close().catch(() => undefined);
  };
  try {
    await context.audioWorklet.addModule(workletUrl);
    const source = context.createMediaStreamSource(stream);
    const node = new AudioWorkletNode(context, "echo-capture", { numberOfInputs: 1, numberOfOutputs: 0 });
    node.port.onmessage = (message: MessageEvent<Int16Array>) => {
      if (open) handlers.frame(message.data);
    };
    source.connect(node);
    for (const track of stream.getTracks()) {
      track.addEventListener("ended", () => {
        if (open) handlers.lost();
      });
    }
    if (context.state === "suspended") await context.resume();
  } catch (thrown) {
    close();
    throw thrown;
  }
  return { close };
}

/** Why the microphone did not open, and what to do, for people. */
export function microphoneProblem(thrown: unknown): string {
  const name = thrown instanceof DOMException ? thrown.name : "";
  switch (name) {
    case "NotAllowedError":
    case "SecurityError":
      return "The browser does not let Echo use the microphone. Allow it in the address bar, or type instead.";
    case "NotFoundError":
    case "OverconstrainedError":
      return "No microphone was found. Plug one in, or type instead.";
    case "NotReadableError":
    case "AbortError":
      return "The microphone is in use by another program. Close that one, or type instead.";
    case "NotSupportedError":
      return "This page may not use the microphone. Open the dashboard at 127.0.0.1, or type instead.";
    default:
      return "The microphone could not be opened. Try again, or type instead.";
  }
}
