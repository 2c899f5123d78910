import { useEffect, useState } from "react";
import { lookOf } from "../state/derive";
import { fallbackAccent } from "../ui/accent";
import { applyTheme, type Scheme, schemeOf } from "../ui/theme";
import { useEchoState } from "./useEcho";

function darkQuery(): MediaQueryList {
  return window.matchMedia("(prefers-color-scheme: dark)");
}

/** Puts the theme of the settings and the accent of the conversation's look on the page. */
export function useTheme(): Scheme {
  const theme = useEchoState((state) => state.settings?.theme ?? "system");
  const accent = useEchoState((state) => lookOf(state)?.accent ?? fallbackAccent);
  const [dark, setDark] = useState(() => darkQuery().matches);
  useEffect(() => {
    const query = darkQuery();
    const change = () => setDark(query.matches);
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, []);
  const scheme = schemeOf(theme, dark);
  useEffect(() => applyTheme(document.documentElement, scheme, accent), [scheme, accent]);
  return scheme;
}
