// The desktop window's transport: bound services of the app, and its events. Sound is native: it never passes through here.

import { asEchoError } from "./problem";
import { createLevel, createSignal } from "./signal";
import {
  type CaptureStatus,
  closedCapture,
  type OrbStatus,
  type PlaybackStatus,
  type ShellPort,
  silentPlayback,
  type Transport,
  type VoicePort,
  type VoiceSignal,
  type WindowForm,
} from "./transport";
import type { ChatRow, ConversationState, Grant, Look, Models, Settings, Status, VoiceEvent } from "./words";

/** An app that attached and said nothing for so long is taken at its word. */
const readyTimeoutMs = 5000;

type Bound = (...args: unknown[]) => Promise<unknown>;

/** What Wails puts into the window. */
export interface WailsHost {
  go: { app: Record<string, Record<string, Bound>> };
  runtime: {
    EventsOn(name: string, listener: (...data: unknown[]) => void): () => void;
    BrowserOpenURL(url: string): void;
  };
}

/** The host, where this page is the desktop window's. */
export function wailsHost(scope: unknown): WailsHost | null {
  const candidate = scope as Partial<WailsHost> | null;
  if (candidate?.go?.app === undefined || candidate.runtime === undefined) return null;
  return candidate as WailsHost;
}

export function createWailsTransport(host: WailsHost): Transport {
  const signal = createSignal<VoiceSignal>();
  const captureStatus = createLevel<CaptureStatus>(closedCapture);
  const playback = createLevel<PlaybackStatus>(silentPlayback);
  const form = createSignal<WindowForm>();
  const orb = createSignal<OrbStatus>();
  const settings = createSignal<Settings>();

  async function call<T>(service: string, method: string, ...args: unknown[]): Promise<T> {
    const bound = host.go.app[service]?.[method];
    try {
      if (bound === undefined) throw new Error(`This Echo cannot do that yet (${service}.${method}).`);
      return (await bound(...args)) as T;
    } catch (thrown) {
      throw asEchoError(thrown);
    }
  }

  /** For acts whose outcome shows in events alone; a refusal is told as the protocol tells one. */
  function act(service: string, method: string, ...args: unknown[]): void {
    call<unknown>(service, method, ...args).catch((thrown: unknown) => {
      const { code, message } = asEchoError(thrown);
      signal.emit({ type: "event", event: { type: "error", code, message } });
    });
  }

  let opening = 0;
  host.runtime.EventsOn("echo:voice", (data) => {
    const event = data as VoiceEvent;
    // Attaching anew detaches this very window first: that is no news.
    if (event.type === "detached" && opening > 0) return;
    signal.emit({ type: "event", event });
  });
  host.runtime.EventsOn("echo:capture", (status) => captureStatus.emit({ ...closedCapture, ...(status as object) }));
  host.runtime.EventsOn("echo:playback", (status) => playback.emit({ ...silentPlayback, ...(status as object) }));
  host.runtime.EventsOn("echo:window", (status) => form.emit((status as { form: WindowForm }).form));
  host.runtime.EventsOn("echo:orb", (status) => orb.emit(orbStatus(status)));
  host.runtime.EventsOn("echo:settings", (changed) => settings.emit(changed as Settings));
  host.runtime.EventsOn("echo:spoken", (status) => {
    signal.emit({ type: "spoken", id: (status as { id: number }).id });
  });
  host.runtime.EventsOn("echo:lost", () => signal.emit({ type: "lost", reason: "closed" }));

  /** The `ready` that an opening waits for; it may come before or after the call's own answer. */
  function firstReady(): { come: Promise<void>; stop(): void } {
    let stop: () => void = () => undefined;
    const come = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, readyTimeoutMs);
      const unlisten = signal.listen((news) => {
        if (news.type === "event" && news.event.type === "ready") resolve();
      });
      stop = () => {
        clearTimeout(timer);
        unlisten();
      };
    });
    return { come, stop: () => stop() };
  }

  const voice: VoicePort = {
    state: () => call<ConversationState>("Voice", "State"),
    async open(request) {
      opening++;
      const attached = firstReady();
      try {
        const grant = await call<Grant>("Voice", "Open", request);
        await attached.come;
        return grant;
      } finally {
        attached.stop();
        opening--;
      }
    },
    leave: () => act("Voice", "Leave"),
    endConversation: () => call<boolean>("Voice", "EndConversation"),
    ask: (text) => call<number>("Voice", "Ask", text),
    retry: (of) => call<number>("Voice", "Retry", of),
    replay: (id) => act("Voice", "Replay", id),
    cancel: () => act("Voice", "Cancel"),
    cancelTurn: (id) => act("Voice", "CancelTurn", id),
    end: () => act("Voice", "End"),
    listen: signal.listen,
  };

  const shell: ShellPort = {
    fold: () => act("Shell", "Fold"),
    unfold: () => act("Shell", "Unfold"),
    hide: () => act("Shell", "Hide"),
    openDashboard: () => act("Shell", "OpenDashboard"),
    openLink: (url) => host.runtime.BrowserOpenURL(url),
    form: () => call<WindowForm>("Shell", "Form"),
    version: () => call<string>("Shell", "Version"),
    listenForm: form.listen,
    listenOrb: orb.listen,
  };

  call<CaptureStatus>("Capture", "Status").then(
    (status) => captureStatus.emit({ ...closedCapture, ...status }),
    () => undefined,
  );

  // The orb is told of changes alone; one that came before this page was there is asked for, where the app can say it.
  if (host.go.app.Shell?.Orb !== undefined) {
    call<unknown>("Shell", "Orb").then(
      (status) => orb.emit(orbStatus(status)),
      () => undefined,
    );
  }

  return {
    kind: "wails",
    voice,
    capture: {
      press: () => act("Capture", "Press"),
      release: () => act("Capture", "Release"),
      start: () => act("Capture", "Start"),
      stop: () => act("Capture", "Stop"),
      setMuted: (muted) => act("Capture", "SetMuted", muted),
      status: captureStatus.current,
      listen: captureStatus.listen,
    },
    speaker: { status: playback.current, listen: playback.listen, resume: () => undefined },
    settings: {
      get: () => call<Settings>("Settings", "Get"),
      patch: (patch) => call<Settings>("Settings", "Patch", patch),
      looks: () => call<Look[]>("Settings", "Looks"),
      models: () => call<Models>("Settings", "Models"),
      status: () => call<Status>("Settings", "Status"),
      listen: settings.listen,
    },
    recent: () => call<ChatRow[]>("Chats", "Recent"),
    companion: async (action) => {
      if (action === "fold") shell.fold();
      else shell.unfold();
    },
    shell,
  };
}

function orbStatus(status: unknown): OrbStatus {
  const { look, accent, ...rest } = status as Omit<Partial<OrbStatus>, "look"> & { look?: string | Partial<Look> };
  const base: OrbStatus = { look: "", accent: "", state: "idle", wake: false, problem: "", compositor: true };
  if (typeof look === "object") return { ...base, ...rest, look: look.id ?? "", accent: look.accent ?? accent ?? "" };
  return { ...base, ...rest, look: look ?? "", accent: accent ?? "" };
}
