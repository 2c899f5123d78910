import { createContext, useContext, useEffect, useState, useSyncExternalStore } from "react";
import { createChatPort } from "../bridge/chat";
import { type Chats, type ChatsState, createChats } from "./chat";
import { browserStorage, createDrafts, type Drafts } from "./chatDrafts";
import { useEcho, useEchoState } from "./useEcho";

export interface ChatsPlace {
  chats: Chats;
  drafts: Drafts;
}

export const ChatsContext = createContext<ChatsPlace | null>(null);

/** Makes the page's Chats, once. What waits to be deleted outlives the Chat page, not the dashboard. */
export function useNewChats(): ChatsPlace {
  const [place] = useState<ChatsPlace>(() => {
    const drafts = createDrafts(browserStorage());
    const chats = createChats(
      createChatPort((input, init) => fetch(input, init)),
      {
        now: () => new Date().toISOString(),
        newKey: () => crypto.randomUUID(),
        soon: (run) => {
          // A hidden page paints no frames, but its reply goes on.
          if (document.visibilityState === "hidden") setTimeout(run, 0);
          else requestAnimationFrame(run);
        },
        drafts,
      },
    );
    return { chats, drafts };
  });
  const { chats } = place;
  const echo = useEcho();
  useEffect(
    () =>
      chats.store.subscribe(() => {
        if (chats.store.get().signedOut) echo.store.set((state) => ({ ...state, signedOut: true }));
      }),
    [chats, echo],
  );
  const workspace = useEchoState((state) => state.settings?.workspace ?? "");
  const [shownWorkspace, setShown] = useState(workspace);
  useEffect(() => {
    if (workspace === shownWorkspace) return;
    if (shownWorkspace !== "") chats.reset();
    setShown(workspace);
  }, [chats, workspace, shownWorkspace]);
  useEffect(() => {
    const settle = () => void chats.settle();
    window.addEventListener("pagehide", settle);
    return () => window.removeEventListener("pagehide", settle);
  }, [chats]);
  return place;
}

export function useChats(): Chats {
  return usePlace().chats;
}

export function useDrafts(): Drafts {
  return usePlace().drafts;
}

function usePlace(): ChatsPlace {
  const place = useContext(ChatsContext);
  if (place === null) throw new Error("useChats outside of its context");
  return place;
}

/** A part of the state, one that is kept and not made anew. */
export function useChatsState<Part>(part: (state: ChatsState) => Part): Part {
  const { store } = useChats();
  return useSyncExternalStore(store.subscribe, () => part(store.get()));
}
