// What stands in one chat, row by row. Pure.

import type { Message, Problem, ToolCall } from "../bridge/words";
import type { ChatState, Live } from "./chat";

/** A row of the conversation. Its key stays the same while its reply is written, saved and read again: nothing is built anew. */
export type Row =
  | { key: string; kind: "question"; text: string; spoken: boolean; number: number }
  | { key: string; kind: "tool"; tool: ToolCall; number: number }
  | {
      key: string;
      kind: "answer";
      text: string;
      state: Message["state"] | "writing";
      error: Problem | null;
      number: number;
      /** Try again belongs to the newest answer alone. */
      newest: boolean;
    };

/** The rows of the conversation, oldest first. */
export function rowsOf(state: ChatState): Row[] {
  const { live } = state;
  const rows: Row[] = [];
  let base = 0;
  let tools = 0;
  for (const message of state.messages) {
    if (live !== null && message.number >= live.base) break;
    if (message.role === "user") {
      base = message.number;
      tools = 0;
    }
    const of = base === 0 ? `m${message.number}` : String(base);
    rows.push(rowOf(message, of, message.role === "tool" ? tools++ : 0, false));
  }
  const last = rows.at(-1);
  if (live === null) {
    if (last?.kind === "answer") {
      const writing = state.spoken && last.state === "interrupted";
      rows[rows.length - 1] = { ...last, newest: true, state: writing ? "writing" : last.state };
    } else if (state.spoken && last !== undefined) {
      const number = last.number + 1;
      rows.push({ key: `a${base}`, kind: "answer", text: "", state: "writing", error: null, number, newest: true });
    }
    return rows;
  }
  return [...rows, ...liveRows(live, state.messages.find(({ number }) => number === live.base)?.source === "spoken")];
}

function rowOf(message: Message, of: string, index: number, newest: boolean): Row {
  const { number, text } = message;
  switch (message.role) {
    case "user":
      return { key: `q${of}`, kind: "question", text, spoken: message.source === "spoken", number };
    case "tool":
      return { key: `t${of}.${index}`, kind: "tool", tool: toolOf(message), number };
    case "assistant":
      return {
        key: `a${of}`,
        kind: "answer",
        text,
        state: message.state,
        error: message.error ?? null,
        number,
        newest,
      };
  }
}

function toolOf(message: Message): ToolCall {
  return {
    name: message.name ?? "tool",
    arguments: message.arguments ?? {},
    result: message.text,
    status: message.state === "failed" ? "failed" : "done",
  };
}

function liveRows(live: Live, spoken: boolean): Row[] {
  const { base } = live;
  return [
    { key: `q${base}`, kind: "question", text: live.question, spoken, number: base },
    ...live.tools.map(
      (tool, index): Row => ({ key: `t${base}.${index}`, kind: "tool", tool, number: base + 1 + index }),
    ),
    {
      key: `a${base}`,
      kind: "answer",
      text: live.answer,
      state: "writing",
      error: null,
      number: base + live.tools.length + 1,
      newest: true,
    },
  ];
}
