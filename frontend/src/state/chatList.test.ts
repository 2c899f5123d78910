import { describe, expect, test } from "vitest";
import type { ChatRow } from "../bridge/words";
import { emptyList, extended, hidden, marked, refreshed, removed, sectionsOf, unhidden } from "./chatList";

function row(id: string, updated: string, more: Partial<ChatRow> = {}): ChatRow {
  return {
    id,
    title: id,
    kind: "chat",
    created_at: updated,
    updated_at: updated,
    messages: 2,
    replying: false,
    waiting: false,
    ...more,
  };
}

const ids = (rows: ChatRow[]) => rows.map(({ id }) => id).join(" ");

describe("the list", () => {
  const first = refreshed(emptyList, { sessions: [row("d", "2026-01-04"), row("c", "2026-01-03")], next: "x" });
  const both = extended(first, { sessions: [row("b", "2026-01-02"), row("a", "2026-01-01")], next: null });

  test("joins pages", () => expect(ids(both.rows)).toBe("d c b a"));

  test("read again replaces what the first page covers and keeps what lies beyond", () => {
    const again = refreshed(both, { sessions: [row("b", "2026-01-05"), row("d", "2026-01-04")], next: "y" });
    expect(ids(again.rows)).toBe("b d c a");
    expect(again.next).toBeNull();
  });

  test("a chat that was deleted elsewhere leaves it", () => {
    const again = refreshed(both, { sessions: [row("c", "2026-01-03"), row("b", "2026-01-02")], next: "y" });
    expect(ids(again.rows)).toBe("c b a");
  });

  test("what is being deleted is hidden until it is undone, and gone once it is deleted", () => {
    const now = new Date("2026-01-04T12:00:00");
    const without = hidden(both, row("c", "2026-01-03"));
    expect(sectionsOf(without, now).flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual(["d", "b", "a"]);
    expect(sectionsOf(unhidden(without, "c"), now).flatMap(({ rows }) => rows).length).toBe(4);
    expect(ids(removed(without, "c").rows)).toBe("d b a");
  });

  test("is divided by day", () => {
    const now = new Date(2026, 0, 20, 12);
    const days = [20, 19, 15, 2].map((day) => row(String(day), new Date(2026, 0, day, 9).toISOString()));
    const words = sectionsOf(refreshed(emptyList, { sessions: days, next: null }), now).map((section) => section.words);
    expect(words.slice(0, 3)).toEqual(["Today", "Yesterday", "Earlier this week"]);
    expect(words.length).toBe(4);
  });
});

describe("a snippet", () => {
  const hits = (snippet: string, query: string) =>
    marked(snippet, query)
      .filter(({ hit }) => hit)
      .map(({ text }) => text);
  test("marks what was searched for", () => expect(hits("Bread and bread", "bread")).toEqual(["Bread", "bread"]));
  test("marks beginnings of words alone", () => expect(hits("a category of cat", "cat")).toEqual(["cat", "cat"]));
  test("takes signs as they are", () => expect(hits("15% (of 80)", "(80)")).toEqual(["80"]));
  test("loses nothing", () =>
    expect(
      marked("One two three", "two x")
        .map(({ text }) => text)
        .join(""),
    ).toBe("One two three"));
});
