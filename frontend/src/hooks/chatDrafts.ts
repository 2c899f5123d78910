// What was typed and not sent, kept for each chat in this browser.

export interface Drafts {
  get(chat: string): string;
  set(chat: string, text: string): void;
  forget(chat: string): void;
}

const prefix = "echo.draft.";
/** Of drafts in chats that are long gone, the oldest are let go. */
const most = 200;

export function createDrafts(storage: Storage | null): Drafts {
  const name = (chat: string) => `${prefix}${chat === "" ? "new" : chat}`;
  return {
    get: (chat) => storage?.getItem(name(chat)) ?? "",
    set(chat, text) {
      if (storage === null) return;
      try {
        if (text === "") storage.removeItem(name(chat));
        else storage.setItem(name(chat), text);
      } catch {
        for (const key of draftsIn(storage).slice(0, most)) storage.removeItem(key); // full: old drafts give way
      }
    },
    forget: (chat) => storage?.removeItem(name(chat)),
  };
}

function draftsIn(storage: Storage): string[] {
  return Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "").filter((key) =>
    key.startsWith(prefix),
  );
}

/** The browser's storage, or none where it is closed to the page. */
export function browserStorage(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}
