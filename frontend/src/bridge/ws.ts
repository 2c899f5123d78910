// The browser's transport: HTTP for what is asked, one WebSocket for the conversation, the page's own microphone and speakers.

import { type BrowserCapture, type CaptureSink, createCapture } from "./audio/capture";
import type { OpenMicrophone } from "./audio/microphone";
import { type AudioOut, createPlayer, type Player } from "./audio/player";
import { decodeVoiceFrame, encodeSpeech } from "./frames";
import { type Http, httpSettings } from "./http";
import { EchoError } from "./problem";
import { createSignal } from "./signal";
import type { Socket } from "./socket";
import type { Transport, VoicePort, VoiceSignal } from "./transport";
import type { ChatRow, ConversationState, Grant, VoiceEvent } from "./words";

/** Behind a quiet socket the server is asked so often whether this window is still attached. */
const heartbeatMs = 4000;
/** A server that has not said so within this time is gone, or asleep. */
const proofMs = 3000;
const openTimeoutMs = 8000;
const tickMs = 33; // meters and captions at 30 Hz

export interface WsPorts {
  http: Http;
  socket(path: string): Socket;
  out: AudioOut;
  microphone: OpenMicrophone;
  /** What the user chose for the microphone; asked each time that it opens. */
  preferences?(): { device: string; pauseMs: number };
}

interface Link {
  socket: Socket;
  lastId: number;
  quietSince: number;
  /** Another socket of this same window is about to take its place: its `detached` is no news. */
  superseded: boolean;
}

/** Tells the player what an event means for the audio that is on its way. */
function steer(player: Player, event: VoiceEvent): void {
  switch (event.type) {
    case "sentence":
      player.sentence(event.id, event.index);
      return;
    case "cancelled":
      player.stop(event.id);
      player.settle(event.id);
      return;
    case "stopped":
      player.stop();
      player.settle();
      return;
    case "replayed":
      if (!event.complete) player.stop(event.id);
      player.settle(event.id);
      return;
    case "done":
      player.settle(event.id);
      return;
    case "ended":
    case "detached":
      player.reset();
      return;
    default:
      return;
  }
}

export function createWsTransport(ports: WsPorts): Transport {
  const { http } = ports;
  const signal = createSignal<VoiceSignal>();
  let link: Link | null = null;
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  let ticking: ReturnType<typeof setInterval> | undefined;

  const send = (message: object) => link?.socket.send(JSON.stringify(message));
  const player = createPlayer({
    out: ports.out,
    credit: (id, played_ms) => send({ type: "credit", id, played_ms }),
  });
  const capture: BrowserCapture = createCapture({
    open: ports.microphone,
    device: () => ports.preferences?.().device ?? "",
    pauseMs: () => ports.preferences?.().pauseMs ?? 0,
    sink: speechSink(),
  });

  function claim(): number {
    if (link === null) throw new EchoError("not_attached", "Echo is not connected. Try again in a moment.");
    link.lastId++;
    return link.lastId;
  }

  function speechSink(): CaptureSink {
    let turn = 0;
    return {
      begin(overlap) {
        if (link === null) return false;
        turn = claim();
        send({ type: "speech", id: turn, overlap, wake: false });
        return true;
      },
      audio: (frame) => link?.socket.send(encodeSpeech(frame)),
      end(voiced) {
        if (link === null) return;
        send({ type: "speech_end", id: turn, voiced });
        signal.emit({ type: "spoken", id: turn });
      },
      cancel: () => send({ type: "speech_cancel", id: turn }),
      duck: (on) => player.duck(on),
      overlaps: () => player.overlaps(),
    };
  }

  function drop(reason: "closed" | "dead" | "left"): void {
    const closing = link;
    if (closing === null) return;
    link = null;
    clearInterval(heartbeat);
    clearInterval(ticking);
    closing.socket.onmessage = null;
    closing.socket.onclose = null;
    closing.socket.close();
    capture.forget();
    player.reset();
    if (reason !== "left") signal.emit({ type: "lost", reason });
  }

  function receive(at: Link, data: unknown): void {
    if (at !== link) return;
    at.quietSince = Date.now();
    if (data instanceof ArrayBuffer) {
      const frame = decodeVoiceFrame(data);
      if (frame !== null) player.frame(frame);
      return;
    }
    if (typeof data !== "string") return;
    const event = JSON.parse(data) as VoiceEvent;
    if (event.type === "ready") {
      at.lastId = Math.max(at.lastId, event.last_id);
      capture.limit(event.limits.utterance_ms);
    }
    if (event.type === "detached" && at.superseded) {
      drop("left");
      return;
    }
    steer(player, event);
    signal.emit({ type: "event", event });
    if (event.type === "detached") drop("left");
  }

  /** A page cannot ping its socket. The conversation says whether a window is attached, and asking for it starts nothing. */
  async function beat(): Promise<void> {
    const asked = link;
    if (asked === null || Date.now() - asked.quietSince < heartbeatMs) return;
    const attached = await Promise.race([
      voice.state().then(
        ({ held }) => held,
        () => false,
      ),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), proofMs)),
    ]);
    // What came meanwhile is a better proof than any answer.
    if (link !== asked || Date.now() - asked.quietSince < heartbeatMs) return;
    if (!attached) drop("dead");
  }

  function connect(grant: Grant): Promise<Grant> {
    return new Promise((resolve, reject) => {
      const socket = ports.socket(`/api/voice/stream?ticket=${encodeURIComponent(grant.ticket)}`);
      const made: Link = {
        socket,
        lastId: grant.conversation.last_id,
        quietSince: Date.now(),
        superseded: false,
      };
      const refuse = () => {
        clearTimeout(timer);
        socket.onclose = null;
        socket.onmessage = null;
        if (link === made) drop("left");
        else socket.close();
        reject(new EchoError("unreachable", "Echo could not be reached. Trying again."));
      };
      const timer = setTimeout(refuse, openTimeoutMs);
      socket.onclose = refuse;
      socket.onopen = () => {
        drop("left");
        link = made;
        heartbeat = setInterval(() => void beat(), heartbeatMs);
        ticking = setInterval(player.tick, tickMs);
      };
      // The first event is always `ready`: with it, and not before, the window is attached.
      socket.onmessage = ({ data }) => {
        clearTimeout(timer);
        socket.onclose = () => {
          if (link === made) drop("closed");
        };
        socket.onmessage = (message) => receive(made, message.data);
        receive(made, data);
        resolve(grant);
      };
    });
  }

  const voice: VoicePort = {
    state: () => http.get<ConversationState>("/api/voice/conversation"),
    async open(request) {
      const old = link;
      const grant = await http.send<Grant>("POST", "/api/voice/sessions", request);
      if (old !== null) old.superseded = true;
      return connect(grant);
    },
    leave() {
      capture.stop();
      drop("left");
    },
    endConversation: async () => (await http.send<{ ended: boolean }>("POST", "/api/voice/conversation/end")).ended,
    async ask(text) {
      const id = claim();
      player.resume();
      send({ type: "ask", id, text });
      return id;
    },
    async retry(of) {
      const id = claim();
      player.resume();
      send({ type: "retry", id, of });
      return id;
    },
    replay(id) {
      player.resume();
      send({ type: "replay", id });
    },
    cancel() {
      player.stop();
      send({ type: "cancel" });
    },
    cancelTurn(id) {
      player.stop(id);
      send({ type: "cancel", id });
    },
    end: () => send({ type: "end" }),
    listen: signal.listen,
  };

  return {
    kind: "ws",
    voice,
    capture: {
      ...capture,
      press() {
        player.resume();
        capture.press();
      },
      start() {
        player.resume();
        capture.start();
      },
    },
    speaker: player,
    settings: httpSettings(http),
    recent: async () => (await http.get<{ sessions: ChatRow[] }>("/api/chat/sessions?limit=8")).sessions,
    companion: async (action) => {
      await http.send("POST", "/api/companion", { action });
    },
    shell: null,
  };
}
