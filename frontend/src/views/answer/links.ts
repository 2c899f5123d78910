import { createContext, useContext } from "react";

/** How a link is opened where the page itself cannot: the desktop window hands it to the browser. Null: the page's own way. */
export const LinkOpener = createContext<((url: string) => void) | null>(null);

export function useLinkOpener(): ((url: string) => void) | null {
  return useContext(LinkOpener);
}
