// An Echo that is played by a script: for the tests of views, and for looking at them.

import { createLevel, createSignal } from "../bridge/signal";
import {
  type CaptureStatus,
  closedCapture,
  type OrbStatus,
  type PlaybackStatus,
  type ShellPort,
  silentPlayback,
  type Transport,
  type VoiceSignal,
  type WindowForm,
} from "../bridge/transport";
import type { ChatRow, ConversationState, Grant, Look, ReadyEvent, Settings, Turn, VoiceEvent } from "../bridge/words";

export const fakeLooks: Look[] = [
  { id: "aurora", name: "Aurora", voice: "jenny", accent: "#5a6ef0", persona: "Warm and unhurried." },
  { id: "ember", name: "Ember", voice: "alan", accent: "#e0713f", persona: "Dry, brief and kind." },
  { id: "violet", name: "Violet", voice: "jenny", accent: "#8b6cf0", persona: "Curious, with an eye for detail." },
  { id: "slate", name: "Slate", voice: "alan", accent: "#5b84b8", persona: "Plain and exact." },
];

export const fakeSettings: Settings = {
  workspace: "default",
  look: "aurora",
  reasoning: { provider: "auto", base_url: "", api_key: "", model: "" },
  speech: {
    recognizer: { engine: "builtin", base_url: "", api_key: "", model: "", language: "en" },
    synthesizer: { engine: "builtin", base_url: "", api_key: "", model: "", voice: "" },
  },
  voice: {
    save_conversations: true,
    mode: "push_to_talk",
    wake_word: false,
    input_device: "",
    output_device: "",
    patience_ms: 900,
    global_key: "",
  },
  companion: { floating: true, always_on_top: true, welcomed: true },
  theme: "system",
};

export const noConversation: ConversationState = { active: false, busy: false, held: false, last_id: 0, turns: [] };

export function fakeReady(turns: Turn[] = [], more: Partial<ReadyEvent> = {}): ReadyEvent {
  return {
    type: "ready",
    id: "v1",
    resumed: turns.length > 0,
    busy: false,
    last_id: turns.at(-1)?.id ?? 0,
    turns,
    saving: true,
    chat: null,
    look: "aurora",
    model: "",
    workspace: "default",
    audio: { input: { sample_rate: 16000 }, output: { sample_rate: 24000 } },
    limits: { waiting: 4, text: 8000, utterance_ms: 60000 },
    ...more,
  };
}

export function fakeTurn(id: number, question: string, answer: string, more: Partial<Turn> = {}): Turn {
  return {
    id,
    source: "spoken",
    wake: false,
    question,
    status: "answered",
    answer,
    tools: [],
    away: false,
    error: null,
    asked_at: "2026-01-01T10:00:00Z",
    answered_at: "2026-01-01T10:00:04Z",
    ...more,
  };
}

export interface FakeTransport extends Transport {
  /** What the window asked for, in order. */
  readonly calls: string[];
  emit(...events: VoiceEvent[]): void;
  lose(): void;
  captured(status: Partial<CaptureStatus>): void;
  played(status: Partial<PlaybackStatus>): void;
  orb(status: Partial<OrbStatus>): void;
  form(form: WindowForm): void;
  /** The settings are changed elsewhere. */
  changed(patch: Partial<Settings>): void;
}

export interface FakeConfig {
  state?: ConversationState;
  ready?: ReadyEvent;
  settings?: Settings;
  recent?: ChatRow[];
  form?: WindowForm;
  /** Refuses to open, with what this gives. */
  refuse?: (take: boolean) => Error | null;
}

export function createFakeTransport(config: FakeConfig = {}): FakeTransport {
  const signal = createSignal<VoiceSignal>();
  const captureStatus = createLevel<CaptureStatus>(closedCapture);
  const playback = createLevel<PlaybackStatus>(silentPlayback);
  const forms = createSignal<WindowForm>();
  const orbs = createSignal<OrbStatus>();
  const elsewhere = createSignal<Settings>();
  const calls: string[] = [];
  let lastId = config.ready?.last_id ?? 0;
  let settings = config.settings ?? fakeSettings;
  const note = (call: string) => {
    calls.push(call);
  };
  const emit = (...events: VoiceEvent[]) => {
    for (const event of events) signal.emit({ type: "event", event });
  };
  const shell: ShellPort = {
    fold: () => note("fold"),
    unfold: () => note("unfold"),
    hide: () => note("hide"),
    openDashboard: () => note("dashboard"),
    openLink: (url) => note(`link ${url}`),
    form: () => Promise.resolve(config.form ?? "panel"),
    version: () => Promise.resolve("0"),
    listenForm: forms.listen,
    listenOrb: orbs.listen,
  };
  return {
    kind: config.form === undefined ? "ws" : "wails",
    calls,
    emit,
    lose: () => signal.emit({ type: "lost", reason: "dead" }),
    captured: (status) => captureStatus.emit({ ...captureStatus.current(), ...status }),
    played: (status) => playback.emit({ ...playback.current(), ...status }),
    orb: (status) =>
      orbs.emit({ look: "", accent: "", state: "idle", wake: false, problem: "", compositor: true, ...status }),
    form: forms.emit,
    changed: (patch) => elsewhere.emit({ ...settings, ...patch }),
    voice: {
      state: () => Promise.resolve(config.state ?? noConversation),
      async open(request): Promise<Grant> {
        note(`open ${JSON.stringify(request)}`);
        const refused = config.refuse?.(request.take === true) ?? null;
        if (refused !== null) throw refused;
        emit(config.ready ?? fakeReady());
        return { ticket: "", expires_in_ms: 0, pending: false, conversation: config.state ?? noConversation };
      },
      leave: () => note("leave"),
      endConversation: () => Promise.resolve(true),
      async ask(text) {
        note(`ask ${text}`);
        return ++lastId;
      },
      async retry(of) {
        note(`retry ${of}`);
        return ++lastId;
      },
      replay: (id) => note(`replay ${id}`),
      cancel: () => note("cancel"),
      cancelTurn: (id) => note(`cancel ${id}`),
      end: () => note("end"),
      listen: signal.listen,
    },
    capture: {
      press: () => note("press"),
      release: () => note("release"),
      start: () => note("start"),
      stop: () => note("stop"),
      setMuted: (muted) => note(`mute ${muted}`),
      status: captureStatus.current,
      listen: captureStatus.listen,
    },
    speaker: { status: playback.current, resume: () => note("resume"), listen: playback.listen },
    settings: {
      get: () => Promise.resolve(settings),
      async patch(patch) {
        note(`patch ${JSON.stringify(patch)}`);
        settings = {
          ...settings,
          ...(patch as object),
          voice: { ...settings.voice, ...(patch.voice as object | undefined) },
        };
        return settings;
      },
      looks: () => Promise.resolve(fakeLooks),
      models: () => Promise.resolve({ models: [], problems: [] }),
      status: () => Promise.reject(new Error("not scripted")),
      listen: elsewhere.listen,
    },
    recent: () => Promise.resolve(config.recent ?? []),
    companion: (action) => {
      note(`companion ${action}`);
      return Promise.resolve();
    },
    shell: config.form === undefined ? null : shell,
  };
}
