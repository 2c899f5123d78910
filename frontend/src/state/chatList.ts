// The list of chats: pages joined into one list, what is hidden because it is being deleted, and the days that divide it. Pure.

import type { ChatList, ChatRow } from "../bridge/words";

export interface ListState {
  rows: ChatRow[];
  /** Where the next page begins; null: that was all. */
  next: string | null;
  loaded: boolean;
  /** Chats that are gone from the list, and will be deleted unless Undo is pressed. */
  removing: ChatRow[];
}

export const emptyList: ListState = { rows: [], next: null, loaded: false, removing: [] };

/** The first page, read again: what it covers is replaced, what lies beyond stays. */
export function refreshed(state: ListState, page: ChatList): ListState {
  const last = page.sessions.at(-1);
  if (page.next === null || last === undefined || !state.loaded) {
    return { ...state, rows: page.sessions, next: page.next, loaded: true };
  }
  const here = new Set(page.sessions.map(({ id }) => id));
  const beyond = state.rows.filter((row) => !here.has(row.id) && row.updated_at < last.updated_at);
  return { ...state, rows: [...page.sessions, ...beyond], next: beyond.length > 0 ? state.next : page.next };
}

/** The next page. */
export function extended(state: ListState, page: ChatList): ListState {
  const here = new Set(state.rows.map(({ id }) => id));
  return { ...state, rows: [...state.rows, ...page.sessions.filter(({ id }) => !here.has(id))], next: page.next };
}

export function changed(state: ListState, id: string, change: Partial<ChatRow>): ListState {
  return { ...state, rows: state.rows.map((row) => (row.id === id ? { ...row, ...change } : row)) };
}

export function hidden(state: ListState, row: ChatRow): ListState {
  if (state.removing.some(({ id }) => id === row.id)) return state;
  return { ...state, removing: [...state.removing, row] };
}

export function unhidden(state: ListState, id: string): ListState {
  return { ...state, removing: state.removing.filter((row) => row.id !== id) };
}

export function removed(state: ListState, id: string): ListState {
  return { ...unhidden(state, id), rows: state.rows.filter((row) => row.id !== id) };
}

export interface Section {
  words: string;
  rows: ChatRow[];
}

const dayMs = 24 * 60 * 60 * 1000;

function startOfDay(time: Date): number {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();
}

function sectionOf(updated: string, now: Date): string {
  const time = new Date(updated);
  const days = Math.round((startOfDay(now) - startOfDay(time)) / dayMs);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days < 7) return "Earlier this week";
  const year = time.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return time.toLocaleDateString(undefined, { month: "long", year });
}

/** The list as it is shown: without what is being deleted, divided by day. */
export function sectionsOf(state: ListState, now: Date): Section[] {
  const gone = new Set(state.removing.map(({ id }) => id));
  const sections: Section[] = [];
  for (const row of state.rows) {
    if (gone.has(row.id)) continue;
    const words = sectionOf(row.updated_at, now);
    const last = sections.at(-1);
    if (last?.words === words) last.rows.push(row);
    else sections.push({ words, rows: [row] });
  }
  return sections;
}

/** Something is being written or waits: the list is worth reading again soon. */
export function isActive(state: ListState): boolean {
  return state.rows.some(({ replying, waiting }) => replying || waiting);
}

/** Whether a chat is worth reading again: it has changed since the list was last read, or is changing. */
export function moved(before: ListState, now: ListState, id: string): boolean {
  const row = now.rows.find((each) => each.id === id);
  const old = before.rows.find((each) => each.id === id);
  if (row === undefined) return false;
  return row.updated_at !== old?.updated_at || row.messages !== old.messages || row.replying || row.waiting;
}

export interface Piece {
  at: number;
  text: string;
  hit: boolean;
}

/** A snippet in pieces, of which those that were searched for are marked. */
export function marked(snippet: string, query: string): Piece[] {
  const words = query
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (words.length === 0) return [{ at: 0, text: snippet, hit: false }];
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join("|")})`, "giu");
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of snippet.matchAll(pattern)) {
    if (match.index > end) pieces.push({ at: end, text: snippet.slice(end, match.index), hit: false });
    pieces.push({ at: match.index, text: match[0], hit: true });
    end = match.index + match[0].length;
  }
  if (end < snippet.length) pieces.push({ at: end, text: snippet.slice(end), hit: false });
  return pieces;
}
