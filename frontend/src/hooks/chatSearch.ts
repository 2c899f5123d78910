// Search as one types: asked once typing rests, and only the newest answer counts.

import type { Hit } from "../bridge/words";

const restMs = 140;

export interface SearchPorts {
  search(query: string, signal: AbortSignal): Promise<Hit[]>;
  found(hits: Hit[]): void;
  failed(thrown: unknown): void;
}

/** An empty query only gives up what is being looked for. */
export function createSearch({ search, found, failed }: SearchPorts): (query: string) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = new AbortController();
  return (query) => {
    clearTimeout(timer);
    asked.abort();
    if (query === "") return;
    asked = new AbortController();
    const { signal } = asked;
    timer = setTimeout(() => {
      search(query, signal).then(
        (hits) => {
          if (!signal.aborted) found(hits);
        },
        (thrown: unknown) => {
          if (!signal.aborted) failed(thrown);
        },
      );
    }, restMs);
  };
}
