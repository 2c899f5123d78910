import { asEchoError, EchoError, problemOf } from "./problem";
import type { SettingsPort } from "./transport";
import type { Look, Models, Settings, Status } from "./words";

export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

export interface Http {
  get<T>(path: string): Promise<T>;
  send<T>(method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T>;
}

/** JSON over HTTP to the page's own server, with its errors as EchoError. */
export function createHttp(fetcher: Fetch): Http {
  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    let response: Response;
    try {
      response = await fetcher(path, {
        method,
        credentials: "same-origin",
        headers: body === undefined ? {} : { "Content-Type": "application/json" },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch (thrown) {
      throw asEchoError(thrown instanceof EchoError ? thrown : new TypeError("fetch"));
    }
    const text = await response.text();
    let parsed: unknown;
    try {
      parsed = text === "" ? undefined : JSON.parse(text);
    } catch {
      parsed = undefined;
    }
    if (!response.ok) throw problemOf(response.status, parsed);
    return parsed as T;
  }
  return {
    get: (path) => call("GET", path),
    send: (method, path, body) => call(method, path, body),
  };
}

/** The settings, over HTTP. */
export function httpSettings(http: Http): SettingsPort {
  return {
    get: () => http.get<Settings>("/api/settings"),
    patch: (patch) => http.send<Settings>("PATCH", "/api/settings", patch),
    looks: () => http.get<Look[]>("/api/looks"),
    models: () => http.get<Models>("/api/models"),
    status: () => http.get<Status>("/api/status"),
    listen: () => () => undefined,
  };
}
