// @vitest-environment happy-dom
import { act, cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createFakeTransport, fakeReady, fakeTurn } from "../dev/fake";
import { createEcho } from "../hooks/echo";
import { Root } from "./Root";

const fault = { on: true };
vi.mock("./talk/IgnoredList", () => ({
  IgnoredList() {
    if (fault.on) throw new Error("a fault in a view");
    return null;
  },
}));
vi.mock("./answer/Markdown", () => ({
  Markdown({ text }: { text: string }) {
    if (text.includes("poison")) throw new Error("a fault in a message");
    return <em>{text}</em>;
  },
}));

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined); // React tells of what was caught
  fault.on = false;
  window.history.replaceState(null, "", "/voice");
});
afterEach(cleanup);

async function show(...turns: ReturnType<typeof fakeTurn>[]) {
  const fake = createFakeTransport({});
  const echo = createEcho(fake, { now: () => "2026-01-01T00:00:00Z", soon: (run) => queueMicrotask(run) });
  await act(async () => {
    render(<Root echo={echo} />);
  });
  await act(async () => void echo.connect());
  await act(async () => fake.emit(fakeReady(turns)));
  return { echo, fake, user: userEvent.setup() };
}

test("a view that fails says so, the rest and the conversation go on, and it can be shown again", async () => {
  fault.on = true;
  const { echo, user, fake } = await show(fakeTurn(1, "Why?", "Because."));
  expect(screen.getByRole("status").textContent).toContain("could not be shown. Your conversation goes on.");
  expect(echo.store.get().link.name).toBe("attached");
  await user.type(screen.getByRole("textbox"), "And then?{Enter}");
  expect(fake.calls).toContain("ask And then?");
  fault.on = false;
  await user.click(screen.getByRole("button", { name: "Show it again" }));
  expect((await screen.findAllByText("Because.")).length).toBeGreaterThan(0);
});

test("a message that cannot be rendered shows its plain text, and its neighbours are untouched", async () => {
  await show(fakeTurn(1, "One?", "This is **poison**."), fakeTurn(2, "Two?", "All is well."));
  expect(await screen.findByText("All is well.", { selector: "em" })).toBeTruthy();
  expect(screen.getByText("This is **poison**.", { selector: "article *" })).toBeTruthy();
});
