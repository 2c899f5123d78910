// Chat over HTTP: what is asked once as JSON, and replies watched as text/event-stream.

import { EventSourceParserStream } from "eventsource-parser/stream";
import { createHttp, type Fetch } from "./http";
import { asEchoError, EchoError, problemOf } from "./problem";
import type { ChatEvent, ChatList, ChatPage, ChatQuestion, ChatRow, Hit, Hits } from "./words";

/** An event of a reply, with its number within the reply. */
export interface Numbered {
  number: number;
  event: ChatEvent;
}

export interface WatchOptions {
  signal: AbortSignal;
  /** Events up to this number are known already. */
  after: number;
}

export interface ChatPort {
  list(before?: string): Promise<ChatList>;
  page(id: string, before?: number): Promise<ChatPage>;
  search(query: string, signal: AbortSignal): Promise<Hit[]>;
  rename(id: string, title: string): Promise<ChatRow>;
  /** `last`: the page is going away, the call must outlive it. */
  remove(id: string, last?: boolean): Promise<void>;
  stop(id: string): Promise<boolean>;
  import(transcript: unknown): Promise<ChatRow>;
  exportPath(id: string, format: "markdown" | "json"): string;
  /** Asks, once for each key however often it is called, and watches the reply. */
  ask(question: ChatQuestion, key: string, options: WatchOptions): AsyncIterable<Numbered>;
  retry(id: string, options: WatchOptions): AsyncIterable<Numbered>;
  watch(id: string, options: WatchOptions): AsyncIterable<Numbered>;
}

const pageSize = 60;
/** The server says something every 15 s: a stream that is silent for longer is dead, asleep or cut off. */
const silentMs = 40_000;

function at(id: string, rest = ""): string {
  return `/api/chat/sessions/${encodeURIComponent(id)}${rest}`;
}

export function createChatPort(fetcher: Fetch): ChatPort {
  const http = createHttp(fetcher);

  async function* stream(path: string, init: RequestInit, { signal, after }: WatchOptions): AsyncGenerator<Numbered> {
    const dead = new AbortController();
    let timer = setTimeout(() => dead.abort(), silentMs);
    try {
      const response = await fetcher(path, {
        credentials: "same-origin",
        cache: "no-store",
        ...init,
        headers: {
          Accept: "text/event-stream",
          ...(after > 0 ? { "Last-Event-ID": String(after) } : {}),
          ...init.headers,
        },
        signal: AbortSignal.any([signal, dead.signal]),
      });
      if (!response.ok || response.body === null) throw problemOf(response.status, await bodyOf(response));
      const alive = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          clearTimeout(timer);
          timer = setTimeout(() => dead.abort(), silentMs);
          controller.enqueue(chunk);
        },
      });
      const events = response.body
        .pipeThrough(alive)
        .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
        .pipeThrough(new EventSourceParserStream());
      const reader = events.getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        const number = Number(next.value.id ?? "");
        if (Number.isInteger(number) && number > after) {
          yield { number, event: JSON.parse(next.value.data) as ChatEvent };
        }
      }
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof EchoError) throw thrown;
      throw asEchoError(new TypeError("stream"));
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    list: (before) => {
      const query = new URLSearchParams({ limit: String(pageSize) });
      if (before !== undefined) query.set("before", before);
      return http.get<ChatList>(`/api/chat/sessions?${query}`);
    },
    page: (id, before) => {
      const query = new URLSearchParams({ limit: String(pageSize) });
      if (before !== undefined) query.set("before", String(before));
      return http.get<ChatPage>(at(id, `?${query}`));
    },
    async search(query, signal) {
      const response = await fetcher(`/api/chat/search?${new URLSearchParams({ q: query })}`, {
        credentials: "same-origin",
        signal,
      });
      const body = await bodyOf(response);
      if (!response.ok) throw problemOf(response.status, body);
      return (body as Hits).hits;
    },
    rename: (id, title) => http.send<ChatRow>("PATCH", at(id), { title }),
    async remove(id, last = false) {
      if (last) await fetcher(at(id), { method: "DELETE", credentials: "same-origin", keepalive: true });
      else await http.send("DELETE", at(id));
    },
    stop: async (id) => (await http.send<{ stopped: boolean }>("POST", at(id, "/stop"))).stopped,
    import: (transcript) => http.send<ChatRow>("POST", "/api/chat/import", transcript),
    exportPath: (id, format) => at(id, `/export?format=${format}`),
    ask: (question, key, options) =>
      stream(
        "/api/chat",
        {
          method: "POST",
          headers: { "Content-Type": "application/json", "Idempotency-Key": key },
          body: JSON.stringify(question),
        },
        options,
      ),
    retry: (id, options) => stream(at(id, "/retry"), { method: "POST" }, options),
    watch: (id, options) => stream(at(id, "/reply"), {}, options),
  };
}

/** What a file holds that was chosen to be imported; the server says whether it is a chat. */
export function transcriptOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new EchoError("bad_json", "That file is not a chat. Choose a file that Export as JSON made.");
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}
