// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { rangeOf } from "./useSpoken";

test.each([
  ["that begins the answer", 0, "Mount Everest is tall."],
  ["in the middle", 1, "It is in Asia."],
  ["in another paragraph", 2, "Shall I go on?"],
])("the sentence %s is marked across bold words and paragraphs", (_, index, words) => {
  const root = document.createElement("div");
  root.innerHTML = "<p><b>Mount Everest</b> is tall. It is in <i>Asia</i>.</p><p>Shall I go on?</p>";
  const sentences = { 0: "Mount Everest is tall.", 1: "It is in Asia.", 2: "Shall I go on?" };
  const range = rangeOf(root, sentences, index);
  expect(range?.toString()).toBe(words);
});
