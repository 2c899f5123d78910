import { describe, expect, test } from "vitest";
import type { ConversationState } from "../bridge/words";
import { backoffMs, hiddenLink, type LinkEvent, type LinkState, stepLink } from "./link";

function conversation(more: { active?: boolean; busy?: boolean; held?: boolean }): ConversationState {
  const { active = true, busy = false, held = false } = more;
  if (!active) return { active, busy, held, last_id: 0, turns: [] };
  const rest = { id: "v1", saving: true, chat: null, look: "aurora", model: "", workspace: "default", forget_at: null };
  return { active, busy, held, last_id: 0, turns: [], ...rest };
}

function run(state: LinkState, ...events: LinkEvent[]) {
  const effects: string[] = [];
  let now = state;
  for (const event of events) {
    const step = stepLink(now, event);
    now = step.state;
    for (const effect of step.effects)
      effects.push(effect.type === "open" ? `open ${JSON.stringify(effect.request)}` : effect.type);
  }
  return { state: now, effects };
}

const problem = (code: string) => ({ type: "refused" as const, problem: { code, message: code } });
const attached: LinkState = { name: "attached" };

describe("R6: a window that becomes visible", () => {
  const cases: [string, Parameters<typeof conversation>[0], string, string[]][] = [
    ["joins a reply that runs", { busy: true }, "connecting", ["look", "open {}"]],
    ["offers to continue where nothing runs", {}, "away", ["look"]],
    ["offers to start where there is none", { active: false }, "away", ["look"]],
    ["leaves a busy conversation to the window that has it", { busy: true, held: true }, "held", ["look"]],
    ["leaves an idle one to the window that has it", { held: true }, "held", ["look"]],
  ];
  test.each(cases)("%s", (_, state, name, effects) => {
    const seen = run(hiddenLink, { type: "shown" }, { type: "state", conversation: conversation(state) });
    expect(seen.state.name).toBe(name);
    expect(seen.effects).toEqual(effects);
  });

  test("tries again where the server does not answer", () => {
    const seen = run(
      hiddenLink,
      { type: "shown" },
      { type: "unreachable", problem: { code: "unreachable", message: "" } },
      { type: "timer" },
    );
    expect(seen.state.name).toBe("looking");
    expect(seen.effects).toEqual(["look", "problem", "timer", "look"]);
  });
});

describe("a line that is lost", () => {
  test("is taken up at once, without taking", () => {
    const seen = run(attached, { type: "lost" }, { type: "timer" });
    expect(seen.state).toMatchObject({ name: "connecting", byUser: false });
    expect(seen.effects).toEqual(["timer", "open {}"]);
    expect(backoffMs(0)).toBe(0);
  });
  test("waits for a server that still sees the lost socket, then believes it", () => {
    let state = run(attached, { type: "lost" }, { type: "timer" }).state;
    for (let i = 0; i < 5; i++) {
      state = run(state, problem("held")).state;
      expect(state.name).toBe("waiting");
      state = run(state, { type: "timer" }).state;
    }
    expect(run(state, problem("held")).state.name).toBe("held");
  });
  test("backs off to eight seconds", () => {
    expect([1, 2, 3, 4, 5, 6, 9].map(backoffMs)).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000]);
  });
});

describe("another window", () => {
  test("that takes over is not taken from by itself", () => {
    const seen = run(attached, { type: "detached" }, { type: "timer" }, { type: "shown" }, { type: "lost" });
    expect(seen).toEqual({ state: { name: "taken" }, effects: [] });
  });
  test("is taken from by the user's act alone", () => {
    const held = run({ name: "away", offer: "continue" }, { type: "wanted", request: {} }, problem("held"));
    expect(held.state.name).toBe("held");
    const seen = run(held.state, { type: "wanted", request: { take: true } }, { type: "opened" });
    expect(seen).toEqual({ state: attached, effects: ['open {"take":true}'] });
  });
  test("gets the conversation when it is handed over", () => {
    expect(run(attached, { type: "handed" })).toEqual({ state: { name: "taken" }, effects: ["leave"] });
  });
});

describe("an attached window", () => {
  test("lets go when it is hidden, and only looks when it is shown", () => {
    const seen = run(attached, { type: "hidden" }, { type: "shown" });
    expect(seen.state.name).toBe("looking");
    expect(seen.effects).toEqual(["leave", "look"]);
  });
  test("takes its own place for another chat", () => {
    expect(run(attached, { type: "wanted", request: { chat: "c1" } }).effects).toEqual([
      'open {"chat":"c1","take":true}',
    ]);
  });
  test("stays where nothing is named", () => {
    expect(run(attached, { type: "wanted", request: {} })).toEqual({ state: attached, effects: [] });
  });
  test("is joined by what the app attached", () => {
    expect(run({ name: "away", offer: "start" }, { type: "joined" }).state).toEqual(attached);
  });
  test("ends", () => expect(run(attached, { type: "ended" }).state.name).toBe("ended"));
});

test("an unknown chat is told, and what there is is looked at", () => {
  const seen = run(
    { name: "away", offer: "start" },
    { type: "wanted", request: { chat: "gone" } },
    problem("unknown_chat"),
  );
  expect(seen.state.name).toBe("looking");
  expect(seen.effects).toEqual(['open {"chat":"gone"}', "problem", "look"]);
});
