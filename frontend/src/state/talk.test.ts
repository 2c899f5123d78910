import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ConversationState, Turn, VoiceCommand, VoiceEvent } from "../bridge/words";
import { reduceTalk } from "./reduceTalk";
import { emptyTalk, type TalkState } from "./talk";

const folder = new URL("../../../backend/protocol/testdata/", import.meta.url);
const at = "2026-01-01T00:00:00Z";

type Line = { event?: VoiceEvent; command?: VoiceCommand; state?: ConversationState; chat?: unknown };

function told(state: TalkState, command: VoiceCommand): TalkState {
  switch (command.type) {
    case "ask":
      return command.id > state.lastId
        ? reduceTalk(state, { type: "asked", id: command.id, text: command.text })
        : state;
    case "retry":
      return reduceTalk(state, { type: "retried", id: command.id, of: command.of });
    case "replay":
      return reduceTalk(state, { type: "replay", id: command.id });
    default:
      return state;
  }
}

const shown = ({ asked_at: _, answered_at: __, wake: ___, ...turn }: Turn) => turn;

const streams = readdirSync(folder).filter((name) => name.endsWith(".jsonl") && !name.startsWith("chat-"));

describe("golden streams", () => {
  test.each(streams)("%s leaves the window with the state that the server has", (name) => {
    let state = emptyTalk;
    let compared = 0;
    for (const text of readFileSync(new URL(name, folder), "utf8").trim().split("\n")) {
      const line = JSON.parse(text) as Line;
      if (line.command !== undefined) state = told(state, line.command);
      if (line.event !== undefined) state = reduceTalk(state, { type: "event", event: line.event, at });
      if (line.state?.active === true) {
        compared++;
        expect(state.turns.map(shown)).toEqual(line.state.turns.map(shown));
        expect(state.saving).toBe(line.state.saving);
        expect(state.id).toBe(line.state.id);
      } else if (line.state !== undefined) {
        compared++;
        expect(state.active).toBe(false);
      }
    }
    expect(compared).toBeGreaterThan(0);
    expect(state.pending).toEqual([]);
  });
});
