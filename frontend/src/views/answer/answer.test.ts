import { describe, expect, test } from "vitest";
import { splitBlocks, withMath } from "./blocks";
import { findSpoken } from "./spoken";

describe("blocks", () => {
  test("paragraphs are blocks", () => expect(splitBlocks("One.\n\nTwo.\n\n\nThree.").length).toBe(3));
  test("a fence is one block, whatever is in it", () => {
    const text = "Look:\n\n```go\na\n\n\nb\n```\n\nThere.";
    expect(splitBlocks(text).map((block) => block.trim())).toEqual(["Look:", "```go\na\n\n\nb\n```", "There."]);
  });
  test("a fence that is not closed yet holds the rest", () => expect(splitBlocks("```\na\n\nb").length).toBe(1));
  test("a loose list is one block", () => {
    expect(splitBlocks("1. One\n\n2. Two\n\n   more of two\n\nAfter.").length).toBe(2);
  });
  test("a text with definitions stays whole", () =>
    expect(splitBlocks("See [a].\n\n[a]: https://a.example").length).toBe(1));
  test("no text is lost", () => {
    const text = "# A\n\n- b\n- c\n\n> d\n\n| e | f |\n|---|---|\n| 1 | 2 |";
    expect(splitBlocks(text).join("\n").replace(/\n+/g, "\n")).toBe(text.replace(/\n+/g, "\n"));
  });
  test("formulas of either kind become the parser's", () => {
    expect(withMath("so \\(x^2\\) is")).toBe("so $$x^2$$ is");
    expect(withMath("\\[a\\]")).toBe("\n$$\na\n$$\n");
  });
});

describe("the sentence that is spoken", () => {
  const shown = "Mount Everest is the tallest. It is 8,849 metres high. It is 8,849 metres high.";
  const sentences = {
    0: "Mount **Everest** is the tallest.",
    1: "It is 8,849 metres high.",
    2: "It is 8849 metres high.",
  };
  const part = (index: number) => {
    const found = findSpoken(shown, sentences, index);
    return found === null ? null : shown.slice(found.from, found.to);
  };
  test("is found without Markdown", () => expect(part(0)).toBe("Mount Everest is the tallest."));
  test("repeated, it is told apart by its place", () => {
    expect(findSpoken(shown, sentences, 2)?.from).toBeGreaterThan(findSpoken(shown, sentences, 1)?.from ?? 0);
    expect(part(2)).toBe("It is 8,849 metres high.");
  });
  test("that is not in the text marks nothing", () =>
    expect(findSpoken(shown, { 0: "Something else." }, 0)).toBeNull());
  test("after one that was not found is found all the same", () => {
    expect(findSpoken(shown, { 0: "Here is some code.", 1: "It is 8,849 metres high." }, 1)?.from).toBe(30);
  });
});
