// A scripted model behind an OpenAI-compatible server: what it says to which question is told beforehand, and when.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Script {
  /** The parts of the answer, each its own piece of the stream. */
  parts: string[];
  /** The stream stands still before the part of this number, until `release`. */
  holdAt?: number;
  /** After the parts the stream breaks off, without its end. */
  breaks?: boolean;
  /** Parts come so many a second; without it, all at once. */
  rate?: number;
}

export interface Model {
  settings: object;
  /** The answer to every question that contains `part`. */
  answer(part: string, script: Script): void;
  /** Lets the stream that stands still go on. */
  release(part: string): void;
  /** How often it was asked a question that contains `part`. */
  asked(part: string): number;
  stop(): Promise<void>;
}

interface Held {
  script: Script;
  gate: Promise<void>;
  open: () => void;
  asked: number;
}

function chunk(response: ServerResponse, delta: object, finish: string | null): void {
  const body = {
    id: "scripted",
    object: "chat.completion.chunk",
    created: 0,
    model: "scripted",
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
  response.write(`data: ${JSON.stringify(body)}\n\n`);
}

interface Message {
  role: string;
  content: unknown;
}

function questionOf(body: string): string {
  const { messages } = JSON.parse(body) as { messages?: Message[] };
  const last = messages?.findLast(({ role }) => role === "user")?.content;
  return typeof last === "string" ? last : JSON.stringify(last ?? "");
}

export async function startModel(): Promise<Model> {
  const scripts = new Map<string, Held>();
  const server = createServer((request, response) => {
    if (request.url?.endsWith("/models") === true) {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ object: "list", data: [{ id: "scripted", object: "model" }] }));
      return;
    }
    let body = "";
    request.on("data", (data: Buffer) => {
      body += data.toString();
    });
    request.on("end", () => void write(body, response));
  });

  async function write(body: string, response: ServerResponse): Promise<void> {
    const question = questionOf(body);
    const held = [...scripts].find(([part]) => question.includes(part))?.[1];
    response.setHeader("Content-Type", "text/event-stream");
    chunk(response, { role: "assistant", content: "" }, null);
    const parts = held?.script.parts ?? ["Nothing is scripted for that."];
    if (held !== undefined) held.asked++;
    const began = performance.now();
    for (const [index, part] of parts.entries()) {
      const due = began + (index * 1000) / (held?.script.rate ?? Number.POSITIVE_INFINITY) - performance.now();
      if (due > 1) await new Promise((done) => setTimeout(done, due));
      if (held !== undefined && held.script.holdAt === index) await held.gate;
      if (response.destroyed) return;
      chunk(response, { content: part }, null);
    }
    if (held !== undefined && held.script.holdAt === parts.length) await held.gate;
    if (held?.script.breaks === true) {
      response.destroy();
      return;
    }
    chunk(response, {}, "stop");
    response.end("data: [DONE]\n\n");
  }

  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    settings: { reasoning: { provider: "openai", base_url: `http://127.0.0.1:${port}/v1`, model: "scripted" } },
    answer(part, script) {
      let open: () => void = () => undefined;
      const gate = new Promise<void>((done) => {
        open = done;
      });
      scripts.set(part, { script, gate, open, asked: 0 });
    },
    release: (part) => scripts.get(part)?.open(),
    asked: (part) => scripts.get(part)?.asked ?? 0,
    stop() {
      for (const { open } of scripts.values()) open();
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
