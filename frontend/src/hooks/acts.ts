// What a window can be asked to do. The views know this alone; echo.ts does it.

import type { SettingsPatch, Transport } from "../bridge/transport";
import type { ChatRow, Mode, SessionRequest } from "../bridge/words";
import type { EchoState, Store } from "../state/store";

export interface EchoPorts {
  now(): string;
  /** Runs soon, at most once a frame: events that arrive together are shown together. */
  soon(run: () => void): void;
}

export interface Echo {
  readonly store: Store<EchoState>;
  readonly transport: Transport;
  start(): () => void;
  shown(): void;
  hidden(): void;
  /** Attaches, by a user's act. True once attached. */
  connect(request?: SessionRequest): Promise<boolean>;
  ask(text: string): Promise<boolean>;
  press(): void;
  release(): void;
  toggleHandsFree(): void;
  setMode(mode: Mode): void;
  cancel(): void;
  cancelTurn(id: number): void;
  retry(of: number): void;
  replay(id: number): void;
  end(): void;
  handOver(): void;
  choose(choice: { look?: string; model?: string }): void;
  patch(patch: SettingsPatch): Promise<boolean>;
  loadModels(): void;
  recent(): Promise<ChatRow[]>;
  dismiss(what: "problem" | "returned" | "talk"): void;
  dismissIgnored(id: number): void;
}
