import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** That near to its end, a reader is at the end. */
const nearPx = 48;

export interface Follow {
  scroller: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  /** The newest is out of sight because its reader scrolled back. */
  behind: boolean;
  toEnd: () => void;
}

/** Keeps the newest in sight while its reader is there, and never scrolls away from what they read. */
export function useFollow(): Follow {
  const scroller = useRef<HTMLDivElement | null>(null);
  const content = useRef<HTMLDivElement | null>(null);
  const following = useRef(true);
  const [behind, setBehind] = useState(false);

  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    following.current = true;
    element.scrollTop = element.scrollHeight;
    setBehind(false);
  }, []);

  useEffect(() => {
    const element = scroller.current;
    const inner = content.current;
    if (element === null || inner === null) return;
    let last = element.scrollTop;
    const atEnd = () => element.scrollHeight - element.scrollTop - element.clientHeight <= nearPx;
    const scrolled = () => {
      // Growth moves the end away without scrolling: only going up leaves it.
      if (atEnd()) following.current = true;
      else if (element.scrollTop < last) following.current = false;
      last = element.scrollTop;
      setBehind(!following.current && !atEnd());
    };
    const grown = new ResizeObserver(() => {
      if (following.current) element.scrollTop = element.scrollHeight;
      else setBehind(!atEnd());
    });
    element.addEventListener("scroll", scrolled, { passive: true });
    grown.observe(inner);
    grown.observe(element);
    return () => {
      element.removeEventListener("scroll", scrolled);
      grown.disconnect();
    };
  }, []);

  return { scroller, content, behind, toEnd };
}
