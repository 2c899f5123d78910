// The binary frames of the voice WebSocket.

/** Audio of a turn that Echo speaks: 24 kHz, mono. */
export interface VoiceFrame {
  turn: number;
  /** Samples of the turn before this frame's first. */
  offset: number;
  pcm: Int16Array;
}

const headerBytes = 8;

/** Reads a frame from the server; null for one that is malformed. */
export function decodeVoiceFrame(data: ArrayBuffer): VoiceFrame | null {
  if (data.byteLength < headerBytes || (data.byteLength - headerBytes) % 2 !== 0) return null;
  const view = new DataView(data);
  const samples = (data.byteLength - headerBytes) / 2;
  const pcm = new Int16Array(samples);
  for (let i = 0; i < samples; i++) pcm[i] = view.getInt16(headerBytes + i * 2, true);
  return { turn: view.getUint32(0, true), offset: view.getUint32(4, true), pcm };
}

/** Microphone samples as the server takes them: s16le. */
export function encodeSpeech(pcm: Int16Array): ArrayBuffer {
  const out = new ArrayBuffer(pcm.length * 2);
  const view = new DataView(out);
  for (let i = 0; i < pcm.length; i++) view.setInt16(i * 2, pcm[i] ?? 0, true);
  return out;
}
