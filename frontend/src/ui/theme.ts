import type { Theme } from "../bridge/words";
import { accentTokens } from "./accent";

export type Scheme = "light" | "dark";

export function schemeOf(theme: Theme, systemIsDark: boolean): Scheme {
  if (theme === "system") return systemIsDark ? "dark" : "light";
  return theme;
}

/** Puts scheme and accent on the page. */
export function applyTheme(root: HTMLElement, scheme: Scheme, accent: string): void {
  root.dataset.theme = scheme;
  for (const [name, value] of Object.entries(accentTokens(accent, scheme))) root.style.setProperty(name, value);
}
