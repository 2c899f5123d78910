// Reads a chat back from its end, page by page.

import type { ChatPort } from "../bridge/chat";
import { asEchoError } from "../bridge/problem";
import type { ChatAction, ChatState } from "../state/chat";

export interface ReadingPorts {
  /** The number of the opening: what comes back for an earlier one is dropped. */
  opening(): number;
  open(): ChatState;
  tell(action: ChatAction): void;
}

export interface Reading {
  /** The messages before the first that is shown. */
  older(): Promise<void>;
  /** Reads back until a message is there. */
  reach(number: number): Promise<boolean>;
}

export function createReading(port: ChatPort, { opening, open, tell }: ReadingPorts): Reading {
  async function older(): Promise<void> {
    const { id, older: more, messages } = open();
    const first = messages[0];
    if (!more || first === undefined) return;
    const mine = opening();
    try {
      const page = await port.page(id, first.number);
      if (mine === opening()) tell({ type: "older", page });
    } catch (thrown) {
      if (mine === opening()) tell({ type: "broken", problem: asEchoError(thrown) });
    }
  }

  async function reach(number: number): Promise<boolean> {
    const mine = opening();
    for (;;) {
      const { older: more, messages } = open();
      if (mine !== opening()) return false;
      const first = messages[0]?.number ?? 1;
      if (first <= number || !more) return true;
      await older();
      if (open().messages[0]?.number === first) return false;
    }
  }

  return { older, reach };
}
