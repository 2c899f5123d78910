// @vitest-environment happy-dom
import { act, cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EchoError } from "../bridge/problem";
import { createFakeTransport, type FakeConfig, fakeReady, fakeSettings, fakeTurn, noConversation } from "../dev/fake";
import { createEcho } from "../hooks/echo";
import { Root } from "./Root";

async function show(config: FakeConfig = {}) {
  const fake = createFakeTransport({ form: "panel", ...config });
  const echo = createEcho(fake, { now: () => "2026-01-01T00:00:00Z", soon: (run) => queueMicrotask(run) });
  await act(async () => {
    render(<Root echo={echo} />);
  });
  const settle = () => act(async () => undefined);
  await settle();
  const emit = async (...events: Parameters<typeof fake.emit>) => {
    await act(async () => fake.emit(...events));
  };
  return { fake, echo, emit, settle, user: userEvent.setup() };
}

const question = () => screen.getByRole("textbox");

beforeEach(() => {
  window.history.replaceState(null, "", "/voice");
});
afterEach(cleanup);

describe("settings", () => {
  test("a mode that was chosen on the dashboard shows in the window", async () => {
    const { fake } = await show();
    await act(async () => fake.changed({ voice: { ...fakeSettings.voice, mode: "hands_free" } }));
    expect((screen.getByRole("radio", { name: "Hands-free" }) as HTMLInputElement).checked).toBe(true);
  });
});

describe("asking", () => {
  test("a typed question attaches, is asked, and its answer is shown", async () => {
    const { fake, emit, user } = await show();
    await user.type(question(), "What is 12*7?{Enter}");
    expect(fake.calls).toEqual(["open {}", "ask What is 12*7?"]);
    await emit({ type: "start", id: 1, question: "What is 12*7?" }, { type: "delta", id: 1, text: "It is 84." });
    expect((await screen.findAllByText("It is 84.")).length).toBeGreaterThan(0);
    expect(screen.getByText("Thinking", { selector: "[data-mood]" })).toBeTruthy();
  });

  test("what cannot be asked stays in the input", async () => {
    const { user } = await show({ refuse: () => new EchoError("held", "Another window is attached.") });
    await user.type(question(), "Hello?{Enter}");
    expect((question() as HTMLTextAreaElement).value).toBe("Hello?");
    expect(screen.getByRole("button", { name: "Talk here instead" })).toBeTruthy();
  });

  test("Q2: a fifth waiting question comes back into the input", async () => {
    const { emit, user } = await show();
    await user.type(question(), "Six?{Enter}");
    await emit({ type: "error", code: "queue_full", message: "Four questions are waiting already.", id: 1 });
    expect((question() as HTMLTextAreaElement).value).toBe("Six?");
    expect(screen.getByText("Four questions are waiting already.")).toBeTruthy();
  });

  test("waiting questions are numbered, each with Remove", async () => {
    const { fake, echo, emit, user } = await show({ ready: fakeReady([], { last_id: 1 }) });
    await act(() => echo.connect());
    await emit({ type: "start", id: 1, question: "One?" });
    for (const text of ["Two?", "Three?"]) await user.type(question(), `${text}{Enter}`);
    await emit({ type: "queued", id: 2, position: 1 }, { type: "queued", id: 3, position: 2 });
    await emit({ type: "cancelled", id: 1 }, { type: "start", id: 2, question: "Two?" });
    await user.click(screen.getByRole("button", { name: 'Remove "Three?"' }));
    expect(fake.calls.at(-1)).toBe("cancel 3");
  });
});

describe("S1: Stop reply", () => {
  test("is beside the talk button while Echo answers, waits or speaks, and not else", async () => {
    const { fake, echo, emit, user } = await show();
    await act(() => echo.connect());
    expect(screen.queryByRole("button", { name: "Stop reply" })).toBeNull();
    await emit({ type: "start", id: 1, question: "One?" });
    await user.click(screen.getByRole("button", { name: "Stop reply" }));
    expect(fake.calls.at(-1)).toBe("cancel");
    await emit({ type: "cancelled", id: 1 }, { type: "stopped" });
    expect(screen.queryByRole("button", { name: "Stop reply" })).toBeNull();
    await act(async () => fake.played({ speaking: true, turn: 1 }));
    expect(screen.getByRole("button", { name: "Stop reply" })).toBeTruthy();
  });

  test("Ctrl+. stops", async () => {
    const { fake, user } = await show();
    await user.keyboard("{Control>}.{/Control}");
    expect(fake.calls).toContain("cancel");
  });
});

describe("R6 and R7: coming back", () => {
  const turns = [fakeTurn(1, "Who was first?", "Ada.", { away: true })];
  const rest = { id: "v1", saving: true, chat: null, look: "aurora", model: "", workspace: "default", forget_at: null };

  test("shows an answer that came while Echo was away, without connecting", async () => {
    const { fake, user } = await show({
      state: { active: true, busy: false, held: false, last_id: 1, turns, ...rest },
      ready: fakeReady(turns),
    });
    expect(screen.getByText("Answered while Echo was away")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Continue conversation" })).toBeTruthy();
    expect(fake.calls).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Play answer" }));
    expect(fake.calls).toEqual(["open {}", "replay 1"]);
  });

  test("joins a reply that runs, and never opens the microphone", async () => {
    const running = [fakeTurn(1, "One?", "Fir", { status: "answering" })];
    const { fake } = await show({
      state: { active: true, busy: true, held: false, last_id: 1, turns: running, ...rest },
      ready: fakeReady(running, { busy: true }),
      settings: { ...fakeSettings, voice: { ...fakeSettings.voice, mode: "hands_free" } },
    });
    expect(fake.calls).toEqual(["open {}"]);
  });

  test("a lost line is taken up again, and the microphone is left alone", async () => {
    vi.useFakeTimers();
    const { fake, echo, settle } = await show();
    await act(() => echo.connect());
    await act(async () => fake.lose());
    await act(() => vi.advanceTimersByTimeAsync(10));
    vi.useRealTimers();
    await settle();
    expect(fake.calls).toEqual(["open {}", "open {}"]);
    expect(echo.store.get().link.name).toBe("attached");
  });

  test("taken by another window, it takes it back by a click alone", async () => {
    const { fake, echo, emit, user } = await show();
    await act(() => echo.connect());
    await emit({ type: "detached", reason: "taken" });
    expect(fake.calls).toEqual(["open {}"]);
    await user.click(screen.getByRole("button", { name: "Talk here" }));
    expect(fake.calls).toEqual(["open {}", 'open {"take":true}']);
  });

  test("folded, it lets go", async () => {
    const { fake, echo } = await show();
    await act(() => echo.connect());
    await act(async () => fake.form("orb"));
    expect(fake.calls).toContain("leave");
    expect(screen.getByRole("button", { name: "Echo. Open Echo" })).toBeTruthy();
  });
});

describe("talking", () => {
  test("Space holds to talk while the field is empty, and types in it otherwise", async () => {
    const { fake, user } = await show();
    question().focus();
    await user.keyboard("{ >}");
    expect(fake.calls).toEqual(["open {}", "press"]);
    await user.keyboard("{/ }");
    expect(fake.calls.at(-1)).toBe("release");
    await user.type(question(), "a b");
    expect((question() as HTMLTextAreaElement).value).toBe("a b");
    expect(fake.calls.filter((call) => call === "press").length).toBe(1);
  });

  test("Esc folds", async () => {
    const { fake, user } = await show();
    await user.keyboard("{Escape}");
    expect(fake.calls).toContain("fold");
  });

  test("in hands-free, one press listens and the next one stops", async () => {
    const settings = { ...fakeSettings, voice: { ...fakeSettings.voice, mode: "hands_free" as const } };
    const { fake, user } = await show({ settings });
    await user.click(screen.getByRole("button", { name: "Start listening" }));
    expect(fake.calls).toEqual(["open {}", "start"]);
    await act(async () => fake.captured({ state: "listening" }));
    expect(screen.getByText("Listening")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Stop listening" }));
    expect(fake.calls.at(-1)).toBe("stop");
  });

  test("what was ignored can be asked anyway", async () => {
    const { fake, echo, emit, user } = await show();
    await act(() => echo.connect());
    await emit({ type: "ignored", id: 1, reason: "filler", text: "Um." });
    await user.click(screen.getByRole("button", { name: "Ask anyway" }));
    expect(fake.calls.at(-1)).toBe("ask Um.");
  });
});

describe("answers", () => {
  test("R9: a failed one says why and offers Try again", async () => {
    const error = { code: "engine_unreachable", message: "Ollama did not answer. Start it and try again." };
    const { fake, echo, user } = await show({
      ready: fakeReady([fakeTurn(1, "One?", "Fi", { status: "failed", error })]),
    });
    await act(() => echo.connect());
    expect(screen.getByText(error.message)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(fake.calls.at(-1)).toBe("retry 1");
  });

  test("are heard once by a screen reader, and never what was there before", async () => {
    const { echo, emit } = await show({ ready: fakeReady([fakeTurn(1, "One?", "First.")]) });
    await act(() => echo.connect());
    const live = document.querySelector("[aria-live=polite]");
    expect(live?.textContent).toBe("");
    await emit({ type: "start", id: 2, question: "Two?" }, { type: "delta", id: 2, text: "Second." });
    expect(live?.textContent).toBe("");
    await emit({ type: "answered", id: 2, answer: "Second.", saved: true, chat: null }, { type: "done", id: 2 });
    expect(live?.textContent).toBe("Second.");
  });

  test("B3: a model's output never runs and never fetches", async () => {
    const answer = [
      "<img src=x onerror=alert(1)><script>alert(1)</script>",
      "",
      "[a](javascript:alert(1)) [b](https://example.org) ![c](https://example.org/c.png)",
    ].join("\n");
    const { echo } = await show({ ready: fakeReady([fakeTurn(1, "One?", answer)]) });
    await act(() => echo.connect());
    const link = await screen.findByRole("link", { name: "b" });
    expect(link.getAttribute("rel")).toContain("noopener");
    const turn = screen.getByRole("article");
    expect(turn.querySelectorAll("img, script, [onerror]").length).toBe(0);
    expect(within(turn).queryByRole("link", { name: "a" })).toBeNull();
    expect(within(turn).getByRole("link", { name: "Open image: c" })).toBeTruthy();
  });

  test("formulas are set, in the line and on their own", async () => {
    const { echo } = await show({
      ready: fakeReady([fakeTurn(1, "One?", "So $$x^2$$ and \\(y\\) it is.\n\n\\[z\\]")]),
    });
    await act(() => echo.connect());
    await vi.waitFor(() => expect(screen.getByRole("article").querySelectorAll(".katex").length).toBe(3), 5000);
    expect(screen.getByRole("article").querySelectorAll(".katex-display").length).toBe(1);
  });

  test("a tool call is one line that opens", async () => {
    const tool = { name: "calculate", arguments: { expression: "12*7" }, result: "84", status: "done" as const };
    const { echo, user } = await show({ ready: fakeReady([fakeTurn(1, "One?", "It is so.", { tools: [tool] })]) });
    await act(() => echo.connect());
    expect(screen.queryByText("84")).toBeNull();
    await user.click(screen.getByRole("button", { name: /Calculated/ }));
    expect(screen.getByText("84")).toBeTruthy();
  });
});

test("in a browser, the rail leads to Voice, Chat and Settings", async () => {
  await show({ form: undefined, state: noConversation });
  for (const name of ["Voice", "Chat", "Settings"]) expect(screen.getByRole("link", { name })).toBeTruthy();
});

test("carrying a chat on waits for a click", async () => {
  window.history.replaceState(null, "", "/voice?chat=c1&title=Mountains");
  const { fake, user } = await show({ form: undefined });
  expect(fake.calls).toEqual([]);
  await user.click(screen.getByRole("button", { name: 'Continue "Mountains"' }));
  expect(fake.calls).toEqual(['open {"chat":"c1"}']);
});
