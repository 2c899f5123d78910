import { type RefObject, useEffect } from "react";
import { findSpoken } from "./spoken";

const highlightName = "echo-spoken";

interface Piece {
  node: Text;
  start: number;
}

/** The range of the sentence in what is shown. */
export function rangeOf(root: HTMLElement, sentences: Record<number, string>, index: number): Range | null {
  const pieces: Piece[] = [];
  let shown = "";
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    pieces.push({ node: node as Text, start: shown.length });
    shown += (node as Text).data;
  }
  const found = findSpoken(shown, sentences, index);
  if (found === null) return null;
  const place = (offset: number) => {
    const piece = pieces.findLast(({ start }) => start < offset) ?? pieces[0];
    return piece === undefined ? null : { node: piece.node, offset: Math.min(offset - piece.start, piece.node.length) };
  };
  const from = place(found.from);
  const to = place(found.to);
  if (from === null || to === null) return null;
  const range = document.createRange();
  range.setStart(from.node, from.offset);
  range.setEnd(to.node, to.offset);
  return range;
}

/** Marks the sentence that is spoken by a highlight of the browser's: no element is added, so nothing moves. */
export function useSpoken(
  ref: RefObject<HTMLElement | null>,
  sentences: Record<number, string> | undefined,
  index: number,
): void {
  useEffect(() => {
    const root = ref.current;
    const registry = typeof CSS === "undefined" ? undefined : CSS.highlights;
    if (registry === undefined || root === null || sentences === undefined || index < 0) return;
    // WebKit paints anew when a highlight's ranges change, not when the highlight comes or goes.
    const highlight = registry.get(highlightName) ?? new Highlight();
    registry.set(highlightName, highlight);
    const mark = () => {
      const range = rangeOf(root, sentences, index);
      highlight.clear();
      if (range !== null) highlight.add(range);
    };
    mark();
    // The answer grows, and its Markdown may take the place of plain text: the mark goes along.
    const changes = new MutationObserver(mark);
    changes.observe(root, { childList: true, subtree: true, characterData: true });
    return () => {
      changes.disconnect();
      highlight.clear();
    };
  }, [ref, sentences, index]);
}
