// The real Echo, as `serve` runs it, with a data folder of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const startMs = 30_000;
const endMs = 10_000;

export interface Server {
  base: string;
  token: string;
  /** The address that signs a browser in. */
  door: string;
  api<T>(method: string, path: string, body?: unknown): Promise<T>;
  raw(method: string, path: string, body?: unknown): Promise<Response>;
  /** Ends it as a crash does, and starts it again at the same address. */
  crash(): Promise<void>;
  /** Stands still as a machine that sleeps does, until `thaw`. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

function binary(): string {
  const path = process.env.ECHO_BIN ?? resolve(import.meta.dirname, "../../build/bin/echo-companion");
  if (!existsSync(path)) throw new Error(`${path} is not there: run \`make build\`, or name the binary in ECHO_BIN`);
  return path;
}

interface Running {
  child: ChildProcess;
  base: string;
}

function launch(data: string, addr: string): Promise<Running> {
  const child = spawn(binary(), ["serve", "--addr", addr, "--data", data], {
    stdio: ["ignore", "pipe", "pipe"],
    // Nothing of the user's own is asked, whatever runs on this machine.
    env: { ...process.env, OLLAMA_HOST: "127.0.0.1:1" },
  });
  return new Promise((done, fail) => {
    let out = "";
    let errors = "";
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      fail(new Error(`Echo did not listen within ${startMs} ms:\n${out}${errors}`));
    }, startMs);
    child.stderr?.on("data", (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-4000);
    });
    child.stdout?.on("data", (chunk: Buffer) => {
      out += chunk.toString();
      const base = /listening on (http:\/\/\S+)/.exec(out)?.[1];
      if (base === undefined) return;
      clearTimeout(timer);
      done({ child, base });
    });
    child.once("exit", (code) => {
      clearTimeout(timer);
      fail(new Error(`Echo ended with ${code} before it listened:\n${out}${errors}`));
    });
  });
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((done) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), endMs);
    child.once("exit", () => {
      clearTimeout(timer);
      done();
    });
    child.kill(signal);
  });
}

export async function startServer(settings: object = {}): Promise<Server> {
  const data = await mkdtemp(join(tmpdir(), "echo-e2e-"));
  let running = await launch(data, "127.0.0.1:0");
  const token = (await readFile(join(data, "token"), "utf8")).trim();
  const raw = (method: string, path: string, body?: unknown) =>
    fetch(running.base + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
  const server: Server = {
    base: running.base,
    token,
    door: `${running.base}/?token=${token}`,
    raw,
    async api(method, path, body) {
      const response = await raw(method, path, body);
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return (text === "" ? undefined : JSON.parse(text)) as never;
    },
    async crash() {
      await ended(running.child, "SIGKILL");
      running = await launch(data, new URL(running.base).host);
    },
    freeze: () => void running.child.kill("SIGSTOP"),
    thaw: () => void running.child.kill("SIGCONT"),
    async stop() {
      running.child.kill("SIGCONT");
      await ended(running.child, "SIGTERM");
      await rm(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
  await server.api("PATCH", "/api/settings", { companion: { welcomed: true }, ...settings });
  return server;
}
