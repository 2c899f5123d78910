// A question as Chromium's fake microphone takes it: a WAV of 48 kHz, with silence around it.

const rate = 48_000;
const header = 44;

/** The samples of a WAV of 16 bit, mono, and how many of them are a second. */
function samplesOf(wav: Buffer): { samples: Int16Array; rate: number } {
  for (let at = 12; at + 8 <= wav.length; ) {
    const size = wav.readUInt32LE(at + 4);
    if (wav.toString("latin1", at, at + 4) === "data") {
      const count = Math.floor(Math.min(size, wav.length - at - 8) / 2);
      const samples = Int16Array.from({ length: count }, (_, index) => wav.readInt16LE(at + 8 + index * 2));
      return { samples, rate: wav.readUInt32LE(24) };
    }
    at += 8 + size + (size % 2);
  }
  throw new Error("the preview is no WAV");
}

export function question(wav: Buffer, secondsBefore: number, secondsAfter: number): Buffer {
  const spoken = samplesOf(wav);
  const length = Math.floor((spoken.samples.length * rate) / spoken.rate);
  const before = Math.round(secondsBefore * rate);
  const count = before + length + Math.round(secondsAfter * rate);
  const made = Buffer.alloc(header + count * 2);
  made.write("RIFF", 0, "latin1");
  made.writeUInt32LE(made.length - 8, 4);
  made.write("WAVEfmt ", 8, "latin1");
  made.writeUInt32LE(16, 16);
  made.writeUInt16LE(1, 20); // PCM
  made.writeUInt16LE(1, 22); // mono
  made.writeUInt32LE(rate, 24);
  made.writeUInt32LE(rate * 2, 28);
  made.writeUInt16LE(2, 32);
  made.writeUInt16LE(16, 34);
  made.write("data", 36, "latin1");
  made.writeUInt32LE(count * 2, 40);
  for (let index = 0; index < length; index++) {
    const at = (index * spoken.rate) / rate;
    const low = Math.floor(at);
    const here = spoken.samples[low] ?? 0;
    const next = spoken.samples[low + 1] ?? here;
    made.writeInt16LE(Math.round(here + (next - here) * (at - low)), header + (before + index) * 2);
  }
  return made;
}
