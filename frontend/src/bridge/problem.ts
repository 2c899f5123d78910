import type { Problem } from "./words";

/** An error that a person can act on, with the code of the protocol. */
export class EchoError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "EchoError";
    this.code = code;
  }
}

function isProblem(value: unknown): value is Problem {
  if (typeof value !== "object" || value === null) return false;
  const record = value as Record<string, unknown>;
  return typeof record.code === "string" && typeof record.message === "string";
}

/** What an HTTP answer that is an error says; a body without a problem is told by its status. */
export function problemOf(status: number, body: unknown): EchoError {
  const inner = typeof body === "object" && body !== null ? (body as Record<string, unknown>).error : undefined;
  if (isProblem(inner)) return new EchoError(inner.code, inner.message);
  if (status === 401) {
    return new EchoError("unauthorized", "This page is not signed in. Open the dashboard from Echo's tray menu.");
  }
  return new EchoError("internal", `Echo answered with an error (${status}). Try again.`);
}

/** The coded error inside anything that was thrown: an EchoError, a JSON string of a bound call, or whatever else. */
export function asEchoError(thrown: unknown): EchoError {
  if (thrown instanceof EchoError) return thrown;
  const text = thrown instanceof Error ? thrown.message : thrown;
  if (isProblem(text)) return new EchoError(text.code, text.message);
  if (typeof text === "string" && text.startsWith("{")) {
    try {
      const parsed: unknown = JSON.parse(text);
      if (isProblem(parsed)) return new EchoError(parsed.code, parsed.message);
    } catch {
      // Not JSON after all: told below as it is.
    }
  }
  if (thrown instanceof TypeError) {
    return new EchoError("unreachable", "Echo does not answer. Check that it is running, then try again.");
  }
  return new EchoError("internal", typeof text === "string" && text !== "" ? text : "Something went wrong. Try again.");
}
