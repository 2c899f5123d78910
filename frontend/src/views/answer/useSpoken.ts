import { type RefObject, useEffect } from "react";
import { findSpoken } from "./spoken";

const highlightName = "echo-spoken";

interface Piece {
  node: Text;
  start: number;
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
    const pieces: Piece[] = [];
    let shown = "";
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      pieces.push({ node: node as Text, start: shown.length });
      shown += (node as Text).data;
    }
    const found = findSpoken(shown, sentences, index);
    if (found === null) return;
    const place = (offset: number) => {
      const piece = pieces.findLast(({ start }) => start <= offset);
      return piece === undefined
        ? null
        : { node: piece.node, offset: Math.min(offset - piece.start, piece.node.length) };
    };
    const from = place(found.from);
    const to = place(found.to);
    if (from === null || to === null) return;
    const range = document.createRange();
    range.setStart(from.node, from.offset);
    range.setEnd(to.node, to.offset);
    registry.set(highlightName, new Highlight(range));
    return () => {
      registry.delete(highlightName);
    };
  });
}
