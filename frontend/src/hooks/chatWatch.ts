// The watching of one reply, through every dropped line, until it is over or the page turns to another chat.

import type { ChatPort, Numbered, WatchOptions } from "../bridge/chat";
import { asEchoError, type EchoError } from "../bridge/problem";

export type Source = (options: WatchOptions) => AsyncIterable<Numbered>;

/** What the watcher tells of the reply that is wanted. */
export interface Heard {
  event(numbered: Numbered): void;
  /** The server has the question; `draft` is the chat in whose field it was typed. */
  begun(draft: string): void;
  offline(): void;
  over(): void;
  /** The server refused, after that many events. */
  refused(error: EchoError, after: number): void;
}

export interface Watcher {
  active(): boolean;
  /** `start` opens the stream, `again` opens it anew. `draft`: the chat whose draft is asked; null: the server has the question. */
  watch(start: Source, again?: Source, draft?: string | null): void;
  /** The page turns away: a question that the server may not have is still brought to it. */
  leave(): void;
}

const firstWaitMs = 250;
const longestWaitMs = 8000;
/** How often a question is sent again after its page was left, while no answer says that the server has it. */
const unseenTries = 6;

interface Watching {
  stop: AbortController;
  /** The server has the question: from then on, watching can be stopped without losing it. */
  begun: boolean;
  wanted: boolean;
  draft: string | null;
}

export function createWatcher(heard: Heard): Watcher {
  let current: Watching | null = null;

  /** Whether the stream said that the reply is over. */
  async function read(
    mine: Watching,
    source: AsyncIterable<Numbered>,
    seen: (number: number) => void,
  ): Promise<boolean> {
    for await (const numbered of source) {
      seen(numbered.number);
      if (!mine.begun && mine.draft !== null) heard.begun(mine.draft);
      mine.begun = true;
      if (!mine.wanted) return false;
      heard.event(numbered);
      const { type } = numbered.event;
      if (type === "done" || type === "stopped" || type === "failed") return true;
    }
    return false;
  }

  async function run(mine: Watching, start: Source, again: Source): Promise<void> {
    let after = 0;
    let first = true;
    for (let attempt = 0; mine.wanted || (!mine.begun && attempt < unseenTries); attempt++) {
      try {
        const source = (first ? start : again)({ signal: mine.stop.signal, after });
        first = false;
        const over = await read(mine, source, (number) => {
          after = number;
          attempt = 0;
        });
        if (over) {
          mine.stop.abort();
          if (current === mine) current = null;
          heard.over();
          return;
        }
      } catch (thrown) {
        const error = asEchoError(thrown);
        // Only a line that is gone is opened again.
        if (error.code !== "unreachable") {
          if (!mine.wanted) return;
          current = null;
          heard.refused(error, after);
          return;
        }
      }
      if (!mine.wanted && mine.begun) break;
      if (mine.wanted) heard.offline();
      await pause(Math.min(longestWaitMs, firstWaitMs * 2 ** attempt), mine.stop.signal);
    }
    mine.stop.abort();
  }

  return {
    active: () => current !== null,
    watch(start, again = start, draft = null) {
      const mine: Watching = { stop: new AbortController(), begun: draft === null, wanted: true, draft };
      current = mine;
      void run(mine, start, again);
    },
    leave() {
      if (current === null) return;
      current.wanted = false;
      if (current.begun) current.stop.abort();
      current = null;
    },
  };
}

/** Try again whose line was lost: it is asked once more, and refused where the first request came through: then that reply is watched. */
export async function* retryAgain(port: ChatPort, id: string, options: WatchOptions): AsyncGenerator<Numbered> {
  if (options.after === 0) {
    try {
      yield* port.retry(id, options);
      return;
    } catch (thrown) {
      const { code } = asEchoError(thrown);
      if (code !== "replying" && code !== "not_retryable") throw thrown;
    }
  }
  yield* port.watch(id, options);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
