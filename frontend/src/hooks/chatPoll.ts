// Keeps something fresh while its page is shown: read at once, then again after each pause, and when its tab comes to the front.

export interface Poll {
  /** The page is shown, until what this gives is called. */
  show(): () => void;
  /** It has been read: the next time is a pause from now. */
  again(): void;
  /** Reads it, where the page is shown. */
  now(): void;
}

export function createPoll(read: () => Promise<void>, pauseMs: () => number): Poll {
  let shown = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    show() {
      shown++;
      void read();
      const seen = () => {
        if (document.visibilityState === "visible") void read();
      };
      document.addEventListener("visibilitychange", seen);
      return () => {
        shown--;
        clearTimeout(timer);
        document.removeEventListener("visibilitychange", seen);
      };
    },
    again() {
      clearTimeout(timer);
      if (shown === 0 || document.visibilityState === "hidden") return;
      timer = setTimeout(() => void read(), pauseMs());
    },
    now() {
      if (shown > 0) void read();
    },
  };
}
