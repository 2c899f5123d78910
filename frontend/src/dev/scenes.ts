// The states that a window can be in, as scripts: what is looked at when the views change.

import type { WindowForm } from "../bridge/transport";
import type { ChatRow, Turn } from "../bridge/words";
import type { Echo } from "../hooks/echo";
import { type FakeConfig, type FakeTransport, fakeReady, fakeSettings, fakeTurn, noConversation } from "./fake";

export interface Scene {
  config?: FakeConfig;
  form?: WindowForm;
  play?: (fake: FakeTransport, echo: Echo) => void;
}

const mountains = `**Mount Everest** is the tallest mountain above sea level, at 8,849 metres. From base to summit, though, *Mauna Kea* in Hawaii is taller.

| Mountain | Metres | From |
| --- | --- | --- |
| Everest | 8,849 | sea level |
| Mauna Kea | 10,205 | its base |

Shall I tell you how they are measured?`;

const code = `Here is a small function for it:

\`\`\`go
func Mean(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
\`\`\`

1. It adds the numbers up.
2. It divides by how many there are, so \`xs\` must not be empty.

The mean is $$\\bar{x} = \\frac{1}{n}\\sum x_i$$, as you would write it.`;

const calculated: Turn = fakeTurn(1, "What is twelve times seven?", "Twelve times seven is eighty four.", {
  tools: [{ name: "calculate", arguments: { expression: "12*7" }, result: "84", status: "done" }],
});

const chats: ChatRow[] = [
  "Which is the tallest mountain?",
  "Planting garlic before the frost",
  "Rent, split three ways",
].map((title, index) => ({
  id: `c${index}`,
  title,
  kind: index === 1 ? "chat" : "voice",
  created_at: "2026-01-01T10:00:00Z",
  updated_at: "2026-01-01T10:00:00Z",
  messages: 4,
  replying: index === 2,
  waiting: false,
}));

const attach = (_: FakeTransport, echo: Echo) => void echo.connect();

export const scenes: Record<string, Scene> = {
  empty: { config: { recent: chats } },
  listening: {
    play(fake, echo) {
      attach(fake, echo);
      fake.captured({ state: "hearing", level: 0.62 });
    },
  },
  thinking: {
    config: { ready: fakeReady([calculated]) },
    play(fake, echo) {
      attach(fake, echo);
      fake.emit(
        { type: "heard", id: 2, text: "What did I write about the garden last spring?" },
        { type: "start", id: 2, question: "What did I write about the garden last spring?" },
        {
          type: "tool",
          id: 2,
          name: "search_files",
          arguments: { query: "garden last spring" },
          status: "running",
          result: "",
        },
      );
    },
  },
  speaking: {
    config: { ready: fakeReady([calculated]) },
    play(fake, echo) {
      attach(fake, echo);
      fake.emit(
        { type: "start", id: 2, question: "Which is the tallest mountain?" },
        { type: "delta", id: 2, text: mountains },
        {
          type: "sentence",
          id: 2,
          index: 0,
          text: "Mount Everest is the tallest mountain above sea level, at 8,849 metres.",
        },
        { type: "sentence", id: 2, index: 1, text: "From base to summit, though, Mauna Kea in Hawaii is taller." },
      );
      setTimeout(() => fake.played({ speaking: true, turn: 2, sentence: 1, level: 0.5 }), 300);
    },
  },
  waiting: {
    play(fake, echo) {
      attach(fake, echo);
      fake.emit(
        { type: "start", id: 1, question: "Which is the tallest mountain?" },
        { type: "delta", id: 1, text: "Mount Everest is the tallest mountain above sea level, at" },
        { type: "ignored", id: 2, reason: "sound", text: "[cough]" },
      );
      for (const text of ["How was it measured, and who did that first?", "And the deepest sea?"]) void echo.ask(text);
      setTimeout(() => {
        fake.emit({ type: "queued", id: 3, position: 1 }, { type: "queued", id: 4, position: 2 });
        fake.played({ speaking: true, turn: 1, sentence: 0, level: 0.4, ducked: true });
      }, 100);
    },
    config: { ready: fakeReady([], { last_id: 2 }) },
  },
  asking: {
    play(fake, echo) {
      attach(fake, echo);
      fake.emit(
        { type: "start", id: 1, question: "Remind me of the meeting." },
        {
          type: "tool",
          id: 1,
          name: "ask_user",
          arguments: { question: "Which meeting do you mean?" },
          status: "running",
          result: "",
        },
        { type: "asking", id: 1, question: "Which meeting do you mean: the one at noon, or the one at four?" },
      );
    },
  },
  failed: {
    config: {
      ready: fakeReady([
        calculated,
        fakeTurn(2, "And the square root of that?", "The square root of 84 is", {
          status: "failed",
          error: { code: "engine_unreachable", message: "Ollama did not answer. Start it, then try again." },
          source: "typed",
        }),
        fakeTurn(3, "Tell me a long story", "Once upon a time, in a house by the sea,", { status: "stopped" }),
      ]),
    },
    play: attach,
  },
  away: {
    config: {
      state: {
        ...noConversation,
        active: true,
        id: "v1",
        saving: true,
        chat: { id: "c0", title: "What is twelve times seven?" },
        look: "aurora",
        model: "",
        workspace: "default",
        forget_at: null,
        last_id: 2,
        turns: [calculated, fakeTurn(2, "Which is the tallest mountain?", mountains, { away: true })],
      },
    },
  },
  continued: {
    config: {
      ready: fakeReady([fakeTurn(1, "How do I average numbers in Go?", code, { source: "chat" })], {
        chat: { id: "c4", title: "Averages in Go" },
        resumed: true,
        saving: false,
        look: "violet",
      }),
    },
    play: attach,
  },
  held: {
    config: { state: { ...noConversation, held: true } },
  },
  ended: {
    config: { ready: fakeReady([calculated]) },
    play(fake, echo) {
      attach(fake, echo);
      setTimeout(() => fake.emit({ type: "ended", reason: "goodbye" }), 100);
    },
  },
  handsfree: {
    config: {
      ready: fakeReady([calculated]),
      settings: { ...fakeSettings, look: "ember", voice: { ...fakeSettings.voice, mode: "hands_free" } },
    },
    play(fake, echo) {
      attach(fake, echo);
      echo.toggleHandsFree();
      fake.captured({ state: "listening", level: 0.2, muted: true });
      fake.played({ problem: "blocked" });
    },
  },
};
