// The one way in which the frontend reaches Echo. Two implementations keep the same contract: ws.ts (a browser, by HTTP and
// WebSocket) and wails.ts (the desktop window, by bound services). Nothing outside this folder knows which one it is.

import type {
  ChatRow,
  ConversationState,
  Grant,
  Look,
  Models,
  SessionRequest,
  Settings,
  Status,
  VoiceEvent,
} from "./words";

export type Unsubscribe = () => void;

/** Why a link that was open is no longer. */
export type LossReason = "closed" | "dead";

export type VoiceSignal =
  | { type: "event"; event: VoiceEvent }
  /** This window's spoken turn is over, and is being recognised. */
  | { type: "spoken"; id: number }
  | { type: "lost"; reason: LossReason };

export interface VoicePort {
  /** The conversation as it is. Asking starts nothing. */
  state(): Promise<ConversationState>;
  /** Reserves and attaches: resolves once the first `ready` has been told. Rejects with the code `held` where another window is attached. */
  open(request: SessionRequest): Promise<Grant>;
  /** Lets go: the conversation and its reply go on without this window. */
  leave(): void;
  /** Ends the conversation from a window that is not attached. */
  endConversation(): Promise<boolean>;
  /** Puts a typed question; gives its id. */
  ask(text: string): Promise<number>;
  retry(of: number): Promise<number>;
  replay(id: number): void;
  /** Stops the reply and everything that waits. */
  cancel(): void;
  /** Withdraws one waiting question, or stops that reply alone. */
  cancelTurn(id: number): void;
  end(): void;
  listen(listener: (signal: VoiceSignal) => void): Unsubscribe;
}

export type CaptureState = "closed" | "opening" | "listening" | "hearing" | "problem";

export interface CaptureStatus {
  state: CaptureState;
  level: number;
  muted: boolean;
  problem: string;
}

export const closedCapture: CaptureStatus = { state: "closed", level: 0, muted: false, problem: "" };

export interface CapturePort {
  press(): void;
  release(): void;
  start(): void;
  stop(): void;
  setMuted(muted: boolean): void;
  status(): CaptureStatus;
  listen(listener: (status: CaptureStatus) => void): Unsubscribe;
}

export interface PlaybackStatus {
  turn: number;
  sentence: number;
  speaking: boolean;
  level: number;
  ducked: boolean;
  /** "blocked": the browser holds sound back until a click. Anything else is a sentence for people. */
  problem: string;
}

export const silentPlayback: PlaybackStatus = {
  turn: 0,
  sentence: -1,
  speaking: false,
  level: 0,
  ducked: false,
  problem: "",
};

export interface SpeakerPort {
  status(): PlaybackStatus;
  /** A user's act: lets held-back sound play. */
  resume(): void;
  listen(listener: (status: PlaybackStatus) => void): Unsubscribe;
}

/** A JSON merge patch of the settings: null puts a field back to its default. */
export type SettingsPatch = Patch<Settings>;
type Patch<T> = { [Key in keyof T]?: (T[Key] extends object ? Patch<T[Key]> : T[Key]) | null };

export interface SettingsPort {
  get(): Promise<Settings>;
  patch(patch: SettingsPatch): Promise<Settings>;
  looks(): Promise<Look[]>;
  models(): Promise<Models>;
  status(): Promise<Status>;
  /** Told of changes, made here or elsewhere, where the transport hears of them: a browser does not. */
  listen(listener: (settings: Settings) => void): Unsubscribe;
}

export type WindowForm = "panel" | "orb" | "hidden";

export interface OrbStatus {
  look: string;
  accent: string;
  state: "idle" | "thinking" | "waiting" | "trouble";
  wake: boolean;
  problem: string;
  /** Whether the desktop can show a window with a transparent background. */
  compositor: boolean;
}

/** What only a desktop window can do. */
export interface ShellPort {
  fold(): void;
  unfold(): void;
  hide(): void;
  openDashboard(): void;
  openLink(url: string): void;
  form(): Promise<WindowForm>;
  version(): Promise<string>;
  listenForm(listener: (form: WindowForm) => void): Unsubscribe;
  listenOrb(listener: (status: OrbStatus) => void): Unsubscribe;
}

export interface Transport {
  readonly kind: "ws" | "wails";
  readonly voice: VoicePort;
  readonly capture: CapturePort;
  readonly speaker: SpeakerPort;
  readonly settings: SettingsPort;
  /** The eight most recent chats. */
  recent(): Promise<ChatRow[]>;
  /** Moves the desktop window from elsewhere; rejects with `no_window` where there is none. */
  companion(action: "show" | "fold" | "talk"): Promise<void>;
  readonly shell: ShellPort | null;
}
