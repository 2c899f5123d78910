import type { Unsubscribe } from "./transport";

/** A list of listeners of one kind of news. */
export interface Signal<T> {
  emit(news: T): void;
  listen(listener: (news: T) => void): Unsubscribe;
}

export function createSignal<T>(): Signal<T> {
  const listeners = new Set<(news: T) => void>();
  return {
    emit(news) {
      for (const listener of [...listeners]) listener(news);
    },
    listen(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** A signal that remembers its last news. */
export interface Level<T> extends Signal<T> {
  current(): T;
}

export function createLevel<T>(first: T): Level<T> {
  const signal = createSignal<T>();
  let last = first;
  return {
    current: () => last,
    emit(news) {
      last = news;
      signal.emit(news);
    },
    listen: signal.listen,
  };
}
