// Runs on the audio thread: the microphone's samples, at whatever rate the device has, become 20 ms frames at 16 kHz.

import { createFramer, createResampler } from "./resample";

declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

const inputRate = 16000;
const frameLength = 320; // 20 ms

class CaptureProcessor extends AudioWorkletProcessor {
  private readonly resampler = createResampler(sampleRate, inputRate);
  private readonly framer = createFramer(frameLength);

  process(inputs: Float32Array[][]): boolean {
    const channel = inputs[0]?.[0];
    if (channel === undefined) return true;
    for (const frame of this.framer(this.resampler.push(channel))) this.port.postMessage(frame, [frame.buffer]);
    return true;
  }
}

registerProcessor("echo-capture", CaptureProcessor);
