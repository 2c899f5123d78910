// Carries out what the pure state asks for: one Echo for each window. It knows the transport and no React.

import { asEchoError } from "../bridge/problem";
import type { SettingsPatch, Transport, VoiceSignal } from "../bridge/transport";
import type { SessionRequest, Settings, VoiceEvent } from "../bridge/words";
import { type LinkEffect, type LinkEvent, stepLink } from "../state/link";
import { reduceTalk } from "../state/reduceTalk";
import { createStore, type EchoState, firstState } from "../state/store";
import type { TalkAction } from "../state/talk";
import type { Echo, EchoPorts } from "./acts";

export type { Echo, EchoPorts } from "./acts";

/** So many tries to reach Echo are the user's own wait; further ones go on behind a notice. */
const patientAttempts = 3;

export function createEcho(transport: Transport, ports: EchoPorts): Echo {
  const store = createStore<EchoState>(firstState);
  const { voice, capture, settings } = transport;
  let queue: VoiceEvent[] = [];
  let scheduled = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pressed = false;

  const talk = (action: TalkAction) => store.set((state) => ({ ...state, talk: reduceTalk(state.talk, action) }));

  function tell(thrown: unknown): void {
    const { code, message } = asEchoError(thrown);
    store.set((state) => ({
      ...state,
      signedOut: state.signedOut || code === "unauthorized",
      problem: { code, message },
    }));
  }

  function flush(): void {
    scheduled = false;
    const events = queue;
    queue = [];
    if (events.length === 0) return;
    const at = ports.now();
    store.set((state) => {
      const next = events.reduce((now, event) => reduceTalk(now, { type: "event", event, at }), state.talk);
      const done = state.takeover !== null && next.id !== state.takeover.from;
      return { ...state, talk: next, takeover: done ? null : state.takeover };
    });
  }

  function link(event: LinkEvent): void {
    const step = stepLink(store.get().link, event);
    store.set((state) => (state.link === step.state ? state : { ...state, link: step.state }));
    for (const effect of step.effects) perform(effect);
    const { name } = store.get().link;
    // The microphone lives with the attachment: it outlasts a lost line, nothing else.
    if (name !== "attached" && name !== "connecting" && name !== "waiting") quiet();
  }

  function quiet(): void {
    pressed = false;
    if (store.get().handsFree) store.set((state) => ({ ...state, handsFree: false }));
    if (capture.status().state !== "closed") capture.stop();
  }

  function perform(effect: LinkEffect): void {
    switch (effect.type) {
      case "look":
        voice.state().then(
          (conversation) => {
            store.set((state) => ({ ...state, problem: state.problem?.code === "unreachable" ? null : state.problem }));
            talk({ type: "snapshot", conversation });
            link({ type: "state", conversation });
          },
          (thrown: unknown) => {
            link({ type: "unreachable", problem: asEchoError(thrown) });
          },
        );
        return;
      case "open":
        voice.open(effect.request).then(
          ({ pending, conversation }) => {
            flush();
            const from = conversation.active ? conversation.id : "";
            store.set((state) => ({
              ...state,
              problem: null,
              takeover: pending ? { request: effect.request, from } : state.takeover,
            }));
            link({ type: "opened" });
          },
          (thrown: unknown) => link({ type: "refused", problem: asEchoError(thrown) }),
        );
        return;
      case "leave":
        flush();
        voice.leave();
        talk({ type: "detached" });
        return;
      case "timer":
        clearTimeout(timer);
        timer = setTimeout(() => link({ type: "timer" }), effect.ms);
        return;
      case "problem":
        tell(effect.problem);
        return;
    }
  }

  function hear(signal: VoiceSignal): void {
    if (signal.type === "lost") {
      flush();
      talk({ type: "detached" });
      link({ type: "lost" });
      return;
    }
    if (signal.type === "spoken") {
      flush();
      talk({ type: "asked", id: signal.id, text: "", source: "spoken" });
      return;
    }
    queue.push(signal.event);
    if (!scheduled) {
      scheduled = true;
      ports.soon(flush);
    }
    const { name } = store.get().link;
    if (signal.event.type === "ready" && name !== "attached" && name !== "connecting" && name !== "hidden") {
      link({ type: "joined" });
    }
    // What was changed elsewhere, in another window or in the tray, shows here too.
    if (signal.event.type === "ready" || signal.event.type === "saving") loadSettings();
    if (signal.event.type === "detached" || signal.event.type === "ended") {
      flush();
      link({ type: signal.event.type });
    }
  }

  /** What a user's act attaches with: the look and model chosen since, where the conversation has others. */
  function withChoices(request: SessionRequest): SessionRequest {
    const { settings: now, talk: at } = store.get();
    if (now === null || !at.active || request.look !== undefined || request.model !== undefined) return request;
    return at.look !== "" && at.look !== now.look ? { ...request, look: now.look } : request;
  }

  function connect(request: SessionRequest = {}): Promise<boolean> {
    const attached = store.get().link.name === "attached";
    if (attached && Object.keys(request).length === 0) return Promise.resolve(true);
    link({ type: "wanted", request: attached ? request : withChoices(request) });
    return new Promise((resolve) => {
      const check = () => {
        const { link: now } = store.get();
        // It goes on trying, but what was to be asked is given back meanwhile.
        const gaveUp = now.name === "waiting" && now.attempt >= patientAttempts;
        if ((now.name === "connecting" || now.name === "waiting") && !gaveUp) return;
        stop();
        resolve(now.name === "attached");
      };
      const stop = store.subscribe(check);
      check();
    });
  }

  async function ask(text: string): Promise<boolean> {
    if (!(await connect())) return false;
    try {
      const id = await voice.ask(text);
      talk({ type: "asked", id, text });
      return true;
    } catch (thrown) {
      tell(thrown);
      return false;
    }
  }

  async function patch(change: SettingsPatch): Promise<boolean> {
    try {
      const next = await settings.patch(change);
      keep(next);
      return true;
    } catch (thrown) {
      tell(thrown);
      return false;
    }
  }

  const keep = (next: Settings) => store.set((state) => ({ ...state, settings: next }));

  function loadSettings(): void {
    settings.get().then(keep, tell);
  }

  function load(): void {
    loadSettings();
    settings.looks().then(
      (looks) => store.set((state) => ({ ...state, looks })),
      () => undefined,
    );
  }

  return {
    store,
    transport,
    start() {
      const unlisten = [voice.listen(hear), settings.listen(keep)];
      load();
      return () => {
        for (const stop of unlisten) stop();
        clearTimeout(timer);
        voice.leave();
      };
    },
    shown: () => link({ type: "shown" }),
    hidden: () => link({ type: "hidden" }),
    connect,
    ask,
    press() {
      pressed = true;
      void connect().then((attached) => {
        if (attached && pressed) capture.press();
      });
    },
    release() {
      if (!pressed) return;
      pressed = false;
      capture.release();
    },
    toggleHandsFree() {
      if (store.get().handsFree) {
        quiet();
        return;
      }
      store.set((state) => ({ ...state, handsFree: true }));
      void connect().then((attached) => {
        if (attached && store.get().handsFree) capture.start();
        else quiet();
      });
    },
    setMode(mode) {
      quiet();
      void patch({ voice: { mode } });
    },
    cancel: () => voice.cancel(),
    cancelTurn: (id) => voice.cancelTurn(id),
    retry(of) {
      void connect().then(async (attached) => {
        if (!attached) return;
        try {
          const id = await voice.retry(of);
          talk({ type: "retried", id, of });
        } catch (thrown) {
          tell(thrown);
        }
      });
    },
    replay(id) {
      void connect().then((attached) => {
        if (!attached) return;
        talk({ type: "replay", id });
        voice.replay(id);
      });
    },
    end() {
      if (store.get().link.name === "attached") {
        voice.end();
        return;
      }
      voice.endConversation().then(() => {
        talk({ type: "snapshot", conversation: { active: false, busy: false, held: false, last_id: 0, turns: [] } });
        link({ type: "forgotten" });
      }, tell);
    },
    handOver() {
      link({ type: "handed" });
      transport.companion("show").catch(tell);
    },
    choose({ look, model }) {
      void patch({ ...(look === undefined ? {} : { look }), ...(model === undefined ? {} : { reasoning: { model } }) });
    },
    patch,
    loadModels() {
      settings.models().then((models) => store.set((state) => ({ ...state, models })), tell);
    },
    recent: () => transport.recent(),
    dismiss(what) {
      if (what === "problem") store.set((state) => ({ ...state, problem: null }));
      else talk({ type: "dismiss", what: what === "talk" ? "problem" : "returned" });
    },
    dismissIgnored: (id) => talk({ type: "dismissIgnored", id }),
  };
}
