import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fakeReady, fakeSettings, fakeTurn, noConversation } from "../dev/fake";
import type { MicrophoneHandlers } from "./audio/microphone";
import { EchoError } from "./problem";
import type { Socket } from "./socket";
import type { Transport, VoiceSignal } from "./transport";
import { createWailsTransport } from "./wails";
import type { VoiceEvent } from "./words";
import { createWsTransport } from "./ws";

/** What stands behind a transport in these tests: the same words for both of them. */
interface Rig {
  transport: Transport;
  /** What the other side was asked, in its own words. */
  asked: unknown[];
  event(event: VoiceEvent): void;
  audio?(turn: number, offset: number, samples: number): void;
  microphone?: MicrophoneHandlers;
  socket?: FakeSocket;
}

class FakeSocket implements Socket {
  sent: (string | ArrayBuffer)[] = [];
  closed = false;
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
  send(data: string | ArrayBuffer): void {
    this.sent.push(data);
  }
  close(): void {
    this.closed = true;
  }
}

let refuseOpen: EchoError | null = null;
/** What the server says of this window's attachment. */
let held: boolean | "silent" = false;

function wsRig(): Rig {
  const asked: unknown[] = [];
  const rig: Rig = { transport: undefined as unknown as Transport, asked, event: () => undefined };
  const http = {
    async get<T>(path: string): Promise<T> {
      if (path === "/api/voice/conversation") {
        if (held === "silent") return new Promise<T>(() => undefined);
        return { ...noConversation, held } as T;
      }
      if (path === "/api/settings") return fakeSettings as T;
      return { sessions: [] } as T;
    },
    async send<T>(method: string, path: string, body?: unknown): Promise<T> {
      asked.push([method, path, body]);
      if (path === "/api/voice/sessions") {
        if (refuseOpen !== null) throw refuseOpen;
        return { ticket: "t", expires_in_ms: 1, pending: false, conversation: noConversation } as T;
      }
      if (path === "/api/voice/conversation/end") return { ended: true } as T;
      return fakeSettings as T;
    },
  };
  rig.transport = createWsTransport({
    http,
    socket: () => {
      const socket = new FakeSocket();
      rig.socket = socket;
      rig.event = (event) => socket.onmessage?.({ data: JSON.stringify(event) });
      rig.audio = (turn, offset, samples) => {
        const data = new ArrayBuffer(8 + samples * 2);
        new DataView(data).setUint32(0, turn, true);
        new DataView(data).setUint32(4, offset, true);
        socket.onmessage?.({ data });
      };
      queueMicrotask(() => {
        socket.onopen?.();
        rig.event(fakeReady([fakeTurn(3, "One?", "First.")]));
      });
      return socket;
    },
    out: {
      now: () => 0,
      suspended: () => false,
      resume: () => Promise.resolve(),
      play: () => () => undefined,
      ramp: () => undefined,
    },
    microphone: async (_, handlers) => {
      rig.microphone = handlers;
      return { close: () => undefined };
    },
  });
  return rig;
}

function wailsRig(): Rig {
  const asked: unknown[] = [];
  const listeners = new Map<string, (data: unknown) => void>();
  let id = 3;
  const bind =
    (name: string, answer: (...args: unknown[]) => unknown) =>
    async (...args: unknown[]) => {
      asked.push([name, ...args]);
      return answer(...args);
    };
  const rig: Rig = {
    asked,
    event: (event) => listeners.get("echo:voice")?.(event),
    transport: undefined as unknown as Transport,
  };
  rig.transport = createWailsTransport({
    go: {
      app: {
        Voice: {
          State: bind("State", () => noConversation),
          Open: bind("Open", () => {
            if (refuseOpen !== null) throw JSON.stringify({ code: refuseOpen.code, message: refuseOpen.message });
            queueMicrotask(() => rig.event(fakeReady([fakeTurn(3, "One?", "First.")])));
            return { ticket: "", expires_in_ms: 0, pending: false, conversation: noConversation };
          }),
          Leave: bind("Leave", () => null),
          EndConversation: bind("EndConversation", () => true),
          Ask: bind("Ask", () => ++id),
          Retry: bind("Retry", () => ++id),
          Replay: bind("Replay", () => null),
          Cancel: bind("Cancel", () => null),
          CancelTurn: bind("CancelTurn", () => null),
          End: bind("End", () => null),
        },
        Capture: { Status: bind("Status", () => ({ state: "closed", level: 0, muted: false, problem: "" })) },
        Chats: { Recent: bind("Recent", () => []) },
        Settings: { Get: bind("Get", () => fakeSettings), Patch: bind("Patch", () => fakeSettings) },
        Shell: {},
      },
    },
    runtime: {
      EventsOn(name, listener) {
        listeners.set(name, listener);
        return () => listeners.delete(name);
      },
      // biome-ignore lint/correctness/noComponentHookFactories: the name is that of Wails' function.
      BrowserOpenURL: () => undefined,
    },
  });
  return rig;
}

describe.each([
  ["ws", wsRig],
  ["wails", wailsRig],
])("the contract of a transport: %s", (_, make) => {
  let rig: Rig;
  let signals: VoiceSignal[];
  beforeEach(() => {
    refuseOpen = null;
    rig = make();
    signals = [];
    rig.transport.voice.listen((signal) => signals.push(signal));
  });

  test("asks for the state without attaching", async () => {
    expect(await rig.transport.voice.state()).toEqual(noConversation);
    expect(signals).toEqual([]);
  });
  test("attaches, and is attached once `ready` has been told", async () => {
    await rig.transport.voice.open({});
    expect(signals.map((signal) => signal.type === "event" && signal.event.type)).toEqual(["ready"]);
  });
  test("numbers a question after the last id", async () => {
    await rig.transport.voice.open({});
    expect(await rig.transport.voice.ask("Hello?")).toBe(4);
    expect(await rig.transport.voice.retry(3)).toBe(5);
  });
  test("tells events in order", async () => {
    await rig.transport.voice.open({});
    rig.event({ type: "start", id: 4, question: "Hello?" });
    rig.event({ type: "delta", id: 4, text: "Hi." });
    expect(signals.map((signal) => signal.type === "event" && signal.event.type)).toEqual(["ready", "start", "delta"]);
  });
  test("rejects with the code where another window is attached", async () => {
    refuseOpen = new EchoError("held", "Another window is attached.");
    await expect(rig.transport.voice.open({})).rejects.toMatchObject({
      code: "held",
      message: "Another window is attached.",
    });
  });
  test("tells no listener that has left", async () => {
    const heard: VoiceSignal[] = [];
    const stop = rig.transport.voice.listen((signal) => heard.push(signal));
    stop();
    await rig.transport.voice.open({});
    expect(heard).toEqual([]);
  });
  test("lets go without ending anything", async () => {
    await rig.transport.voice.open({});
    rig.transport.voice.leave();
    expect(JSON.stringify(rig.asked)).not.toMatch(/"end"|End"/);
    expect(signals.filter(({ type }) => type === "lost")).toEqual([]);
  });
  test("lists chats, reads and changes settings, ends from outside", async () => {
    expect(await rig.transport.recent()).toEqual([]);
    expect(await rig.transport.settings.get()).toEqual(fakeSettings);
    expect(await rig.transport.settings.patch({ look: "ember" })).toEqual(fakeSettings);
    expect(await rig.transport.voice.endConversation()).toBe(true);
  });
});

describe("the WebSocket", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    refuseOpen = null;
    held = true;
  });
  afterEach(() => vi.useRealTimers());

  const sent = (rig: Rig) =>
    (rig.socket?.sent ?? []).map((data) => (typeof data === "string" ? JSON.parse(data) : data.byteLength));

  test("that is quiet stays while the server says that a window is attached, and is lost when it does not", async () => {
    const rig = wsRig();
    const signals: VoiceSignal[] = [];
    rig.transport.voice.listen((signal) => signals.push(signal));
    await rig.transport.voice.open({});
    await vi.advanceTimersByTimeAsync(20_000);
    expect(signals.length).toBe(1);
    expect(sent(rig)).toEqual([]);
    held = false;
    await vi.advanceTimersByTimeAsync(4000);
    expect(signals.at(-1)).toEqual({ type: "lost", reason: "dead" });
    expect(rig.socket?.closed).toBe(true);
  });

  test("behind which the server says nothing at all is lost within seconds", async () => {
    const rig = wsRig();
    const signals: VoiceSignal[] = [];
    rig.transport.voice.listen((signal) => signals.push(signal));
    await rig.transport.voice.open({});
    held = "silent";
    await vi.advanceTimersByTimeAsync(8000);
    expect(signals.at(-1)).toEqual({ type: "lost", reason: "dead" });
  });

  test("carries a spoken turn: speech, its audio, its end", async () => {
    const rig = wsRig();
    await rig.transport.voice.open({});
    rig.transport.capture.press();
    await vi.advanceTimersByTimeAsync(0);
    const loud = Int16Array.from({ length: 320 }, (_, i) => (i % 2 === 0 ? 6000 : -6000));
    for (let i = 0; i < 20; i++) rig.microphone?.frame(loud);
    rig.transport.capture.release();
    await vi.advanceTimersByTimeAsync(300);
    const frames = sent(rig);
    expect(frames[0]).toEqual({ type: "speech", id: 4, overlap: false, wake: false });
    expect(frames.filter((frame) => frame === 640).length).toBe(20);
    expect(frames.at(-1)).toEqual({ type: "speech_end", id: 4, voiced: 20 });
    expect(rig.transport.capture.status().state).toBe("closed");
  });

  test("Q3: a click never leaves the client", async () => {
    const rig = wsRig();
    await rig.transport.voice.open({});
    rig.transport.capture.press();
    await vi.advanceTimersByTimeAsync(0);
    for (let i = 0; i < 11; i++) rig.microphone?.frame(new Int16Array(320).fill(6000));
    rig.transport.capture.release();
    await vi.advanceTimersByTimeAsync(300);
    expect(sent(rig)).toEqual([]);
  });

  test("reports credit for what it plays", async () => {
    const rig = wsRig();
    await rig.transport.voice.open({});
    rig.audio?.(4, 0, 2400);
    expect(rig.transport.speaker.status()).toMatchObject({ speaking: true, turn: 4 });
  });

  test("taking its own place is no news of a take-over", async () => {
    const rig = wsRig();
    const signals: VoiceSignal[] = [];
    await rig.transport.voice.open({});
    rig.transport.voice.listen((signal) => signals.push(signal));
    const old = rig.event;
    const opening = rig.transport.voice.open({ chat: "c1", take: true });
    await Promise.resolve();
    old({ type: "detached", reason: "taken" });
    await opening;
    expect(signals.map((signal) => (signal.type === "event" ? signal.event.type : signal.type))).toEqual(["ready"]);
  });
});

test("the window is told of settings that were changed elsewhere", () => {
  const listeners = new Map<string, (data: unknown) => void>();
  const transport = createWailsTransport({
    go: { app: {} },
    runtime: {
      EventsOn: (name, listener) => {
        listeners.set(name, listener);
        return () => undefined;
      },
      // biome-ignore lint/correctness/noComponentHookFactories: the name is that of Wails' function.
      BrowserOpenURL: () => undefined,
    },
  });
  const heard: string[] = [];
  transport.settings.listen(({ look }) => heard.push(look));
  listeners.get("echo:settings")?.({ ...fakeSettings, look: "ember" });
  expect(heard).toEqual(["ember"]);
});
