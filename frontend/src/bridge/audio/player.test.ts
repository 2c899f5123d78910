import { beforeEach, describe, expect, test } from "vitest";
import { type AudioOut, createPlayer, outputRate, type Player } from "./player";

const second = outputRate;

interface FakeOut extends AudioOut {
  time: number;
  asleep: boolean;
  played: { at: number; samples: number; silenced: boolean }[];
  gains: number[];
}

function fakeOut(): FakeOut {
  const out: FakeOut = {
    time: 10,
    asleep: false,
    played: [],
    gains: [],
    now: () => out.time,
    suspended: () => out.asleep,
    resume: () => Promise.resolve(),
    play(pcm, at) {
      const entry = { at, samples: pcm.length, silenced: false };
      out.played.push(entry);
      return () => {
        entry.silenced = true;
      };
    },
    ramp: (gain) => out.gains.push(gain),
  };
  return out;
}

describe("the player", () => {
  let out: FakeOut;
  let credit: [number, number][];
  let player: Player;
  beforeEach(() => {
    out = fakeOut();
    credit = [];
    player = createPlayer({ out, credit: (turn, ms) => credit.push([turn, ms]) });
  });
  const frame = (turn: number, offset: number, samples = second) =>
    player.frame({ turn, offset, pcm: new Int16Array(samples).fill(9000) });
  const until = (time: number) => {
    while (out.time < time) {
      out.time = Math.min(time, out.time + 0.033);
      player.tick();
    }
  };

  test("schedules frames end to end", () => {
    frame(1, 0);
    frame(1, second);
    expect((out.played[1]?.at ?? 0) - (out.played[0]?.at ?? 0)).toBeCloseTo(1, 6);
  });

  test("gives credit for what has been played, never for more, and for all in the end", () => {
    frame(1, 0);
    frame(1, second);
    until(11);
    const [, ms] = credit.at(-1) ?? [0, 0];
    expect(ms).toBeGreaterThan(700);
    expect(ms).toBeLessThanOrEqual(1000);
    until(13);
    expect(credit.at(-1)).toEqual([1, 2000]);
    expect(credit.every(([, each], i) => i === 0 || each > (credit[i - 1]?.[1] ?? 0))).toBe(true);
  });

  test("counts from the turn's own offset where it attached in the middle", () => {
    frame(1, 10 * second);
    until(12);
    expect(credit.at(-1)).toEqual([1, 11000]);
  });

  test("tells which sentence is heard", () => {
    player.sentence(1, 0);
    frame(1, 0);
    player.sentence(1, 1);
    frame(1, second);
    until(10.5);
    expect(player.status()).toMatchObject({ speaking: true, turn: 1, sentence: 0 });
    until(11.5);
    expect(player.status().sentence).toBe(1);
    until(13);
    expect(player.status()).toMatchObject({ speaking: false, sentence: -1 });
  });

  test("S1: stopped, it is silent, and late audio is never heard", () => {
    frame(1, 0);
    player.stop();
    frame(1, second);
    expect(out.played.map(({ silenced }) => silenced)).toEqual([true]);
    expect(player.status().speaking).toBe(false);
  });

  test("a turn that was stopped can be replayed once the server has said so", () => {
    frame(1, 0);
    player.stop(1);
    frame(1, second);
    player.settle(1);
    frame(1, 0);
    expect(out.played.length).toBe(2);
    until(12);
    expect(credit.at(-1)).toEqual([1, 1000]);
  });

  test("stopping one turn leaves the next one's audio", () => {
    player.stop(1);
    frame(1, 0);
    frame(2, 0);
    expect(out.played.length).toBe(1);
  });

  test("Q8: lowers to a fifth, and comes back to one however often", () => {
    for (let i = 0; i < 10; i++) {
      player.duck(true);
      player.duck(true);
      player.duck(false);
    }
    expect(out.gains.length).toBe(20);
    expect(out.gains.slice(-2)).toEqual([0.2, 1]);
    expect(out.played.length).toBe(0);
  });

  test("held back by the browser, it reports what arrives as played and says so", () => {
    out.asleep = true;
    frame(1, 0);
    frame(1, second);
    expect(out.played.length).toBe(0);
    expect(credit).toEqual([
      [1, 1000],
      [1, 2000],
    ]);
    expect(player.status().problem).toBe("blocked");
    out.asleep = false;
    frame(1, 2 * second);
    expect(player.status().problem).toBe("");
  });

  test("speech overlaps while it plays and for a second after", () => {
    expect(player.overlaps()).toBe(false);
    frame(1, 0);
    until(10.5);
    expect(player.overlaps()).toBe(true);
    until(11.9);
    expect(player.overlaps()).toBe(true);
    until(12.4);
    expect(player.overlaps()).toBe(false);
  });
});
