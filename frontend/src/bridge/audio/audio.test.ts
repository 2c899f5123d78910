import { describe, expect, test } from "vitest";
import { createGate, levelDb } from "./gate";
import { createFramer, createResampler } from "./resample";
import { createUtterances, leastVoiced, type UtteranceStep, type Utterances } from "./utterance";

const frameLength = 320;

/** A frame of noise or voice at that level, always the same for the same seed. */
function frame(db: number, seed = 1): Int16Array {
  const out = new Int16Array(frameLength);
  let state = seed * 2654435761;
  const amplitude = 10 ** (db / 20) * 32768 * Math.sqrt(3);
  for (let i = 0; i < frameLength; i++) {
    state = (state * 1664525 + 1013904223) >>> 0;
    out[i] = Math.max(-32768, Math.min(32767, Math.round(((state / 2 ** 32) * 2 - 1) * amplitude)));
  }
  return out;
}

const voice = () => frame(-24);
const quiet = () => frame(-66);

function feed(utterances: Utterances, frames: Int16Array[]): UtteranceStep[] {
  return frames.flatMap((each) => utterances.frame(each, false).steps);
}
const many = (count: number, make: () => Int16Array) => Array.from({ length: count }, make);
const kinds = (steps: UtteranceStep[]) => steps.filter(({ type }) => type !== "audio").map(({ type }) => type);

describe("the gate", () => {
  test("measures what it is given", () => expect(levelDb(frame(-30))).toBeCloseTo(-30, 0));
  test("takes a first word for voice at once", () => {
    const gate = createGate();
    expect(many(10, voice).filter((each) => gate.frame(each).voiced).length).toBe(10);
  });
  test.each([-60, -50, -40, -34])("takes steady noise at %d dB for none, within three seconds", (db) => {
    const gate = createGate();
    for (let i = 0; i < 170; i++) gate.frame(frame(db, i));
    expect(Array.from({ length: 50 }, (_, i) => gate.frame(frame(db, i)).voiced).filter(Boolean).length).toBe(0);
  });
  test("hears a voice over noise", () => {
    const gate = createGate();
    for (let i = 0; i < 170; i++) gate.frame(frame(-45, i));
    expect(gate.frame(frame(-28)).voiced).toBe(true);
  });
  test("still hears a voice that talks for ten seconds, with its pauses", () => {
    const gate = createGate();
    let last = false;
    for (let i = 0; i < 500; i++) last = gate.frame(i % 40 < 34 ? voice() : quiet()).voiced || last;
    expect(gate.frame(voice()).voiced).toBe(true);
  });
  test("takes digital silence for silence", () =>
    expect(createGate().frame(new Int16Array(frameLength)).voiced).toBe(false));
});

describe("Q3: push to talk", () => {
  test.each([
    [leastVoiced - 1, ["dropped"]],
    [leastVoiced, ["begin", "end"]],
  ])("%d voiced frames: %j", (count, expected) => {
    const utterances = createUtterances({ utteranceMs: 60000 });
    utterances.press(false);
    const steps = [...feed(utterances, [...many(count, voice), ...many(20, quiet)]), ...utterances.release()];
    expect(kinds(steps)).toEqual(expected);
  });
  test("counts the voiced frames, and sends those before the twelfth too", () => {
    const utterances = createUtterances({ utteranceMs: 60000 });
    feed(utterances, many(30, quiet));
    utterances.press(true);
    const steps = [...feed(utterances, many(40, voice)), ...utterances.release()];
    const begin = steps.find((step) => step.type === "begin");
    expect(begin?.type === "begin" && begin.overlap).toBe(true);
    // 300 ms before the key, and the twelve.
    expect(begin?.type === "begin" && begin.frames.length).toBe(15 + 12);
    expect(steps.at(-1)).toEqual({ type: "end", voiced: 40 });
  });
  test("a pause does not end it", () => {
    const utterances = createUtterances({ utteranceMs: 60000 });
    utterances.press(false);
    expect(kinds(feed(utterances, [...many(20, voice), ...many(200, quiet), ...many(20, voice)]))).toEqual(["begin"]);
  });
  test("the server's limit does", () => {
    const utterances = createUtterances({ utteranceMs: 2000 });
    utterances.press(false);
    expect(kinds(feed(utterances, many(120, voice)))).toEqual(["begin", "end"]);
  });
});

describe("hands-free", () => {
  const sentence = () => [...many(30, voice), ...many(25, quiet), ...many(30, voice)];
  test("a pause in mid-sentence does not send, a long one does", () => {
    const utterances = createUtterances({ utteranceMs: 60000 });
    utterances.free(true);
    expect(kinds(feed(utterances, sentence()))).toEqual(["onset", "begin"]);
    expect(kinds(feed(utterances, many(60, quiet)))).toEqual(["end"]);
  });
  test("a click asks nothing and lowers nothing", () => {
    const utterances = createUtterances({ utteranceMs: 60000 });
    utterances.free(true);
    expect(kinds(feed(utterances, [...many(4, voice), ...many(60, quiet)]))).toEqual(["dropped"]);
  });
  test("finds one after the other", () => {
    const utterances = createUtterances({ utteranceMs: 60000 });
    utterances.free(true);
    const both = [...sentence(), ...many(60, quiet), ...sentence(), ...many(60, quiet)];
    expect(kinds(feed(utterances, both))).toEqual(["onset", "begin", "end", "onset", "begin", "end"]);
  });
  test("switched off in mid-sentence, it sends what was said", () => {
    const utterances = createUtterances({ utteranceMs: 60000 });
    utterances.free(true);
    feed(utterances, many(30, voice));
    expect(kinds(utterances.free(false))).toEqual(["end"]);
  });
});

describe("the resampler", () => {
  const sine = (rate: number, hz: number, count: number) =>
    Float32Array.from({ length: count }, (_, i) => Math.sin((2 * Math.PI * hz * i) / rate) * 0.5);
  const rms = (samples: Float32Array) => Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length);

  test.each([48000, 44100, 16000])("from %d Hz keeps the length and a voice's tone", (rate) => {
    const resampler = createResampler(rate, 16000);
    const input = sine(rate, 440, rate);
    const out: number[] = [];
    for (let i = 0; i < input.length; i += 128) out.push(...resampler.push(input.slice(i, i + 128)));
    expect(Math.abs(out.length - 16000)).toBeLessThan(60);
    expect(rms(Float32Array.from(out.slice(1000)))).toBeCloseTo(0.5 / Math.SQRT2, 2);
  });
  test("folds nothing back from above half its rate", () => {
    const out = createResampler(48000, 16000).push(sine(48000, 13000, 48000));
    expect(rms(out.slice(200))).toBeLessThan(0.01);
  });
  test("pieces are as the whole", () => {
    const whole = createResampler(48000, 16000).push(sine(48000, 440, 4800));
    const resampler = createResampler(48000, 16000);
    const parts = [0, 1000, 1128, 3000].map((from, i, all) =>
      resampler.push(sine(48000, 440, 4800).slice(from, all[i + 1])),
    );
    const joined = parts.flatMap((part) => [...part]);
    for (let i = 0; i < joined.length; i++) expect(joined[i]).toBeCloseTo(whole[i] ?? 9, 5);
  });
});

test("frames are cut without losing a sample", () => {
  const cut = createFramer(4);
  expect([...cut(Float32Array.of(0, 0.5, -1)), ...cut(Float32Array.of(1, 0, 0))].map((each) => [...each])).toEqual([
    [0, 16384, -32767, 32767],
  ]);
});
