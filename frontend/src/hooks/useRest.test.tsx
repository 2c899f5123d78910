// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createFakeTransport } from "../dev/fake";
import { Orb } from "../ui/Orb";
import { createEcho } from "./echo";
import { restMs, useRest } from "./useRest";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const echo = createEcho(createFakeTransport({ form: "panel" }), { now: () => "", soon: (run) => run() });
const resting = () => document.documentElement.dataset.rest === "true";

function Page() {
  useRest(echo);
  return <Orb size={40} mood="idle" />;
}

test("a page where nothing happens rests, and anything that happens wakes it", () => {
  render(<Page />);
  act(() => vi.advanceTimersByTime(restMs - 1));
  expect(resting()).toBe(false);
  fireEvent.pointerMove(window);
  act(() => vi.advanceTimersByTime(restMs - 1));
  expect(resting()).toBe(false);
  act(() => vi.advanceTimersByTime(1));
  expect(resting()).toBe(true);
  act(() => echo.store.set((state) => ({ ...state, handsFree: true })));
  expect(resting()).toBe(false);
});

test("the orb's motion stops at the end of its round, and only at rest", () => {
  const { container } = render(<Page />);
  const moving = container.querySelector("span span");
  const round = () => (moving as HTMLElement).dataset.round;
  if (moving === null) throw new Error("no orb");
  fireEvent.animationIteration(moving);
  expect(round()).toBeUndefined();
  act(() => vi.advanceTimersByTime(restMs));
  fireEvent.animationIteration(moving);
  expect(round()).toBe("over");
  fireEvent.animationStart(moving);
  expect(round()).toBeUndefined();
});
