import { useEffect, useState } from "react";
import { hasMath } from "./blocks";
import type { MathPlugins } from "./math";

let loaded: MathPlugins | null = null;

/** The plugins for formulas, fetched when a text holds one. */
export function useMath(text: string): MathPlugins | null {
  const wanted = hasMath(text);
  const [math, setMath] = useState(loaded);
  useEffect(() => {
    if (!wanted || math !== null) return;
    let here = true;
    import("./math").then(({ mathPlugins }) => {
      loaded = mathPlugins;
      if (here) setMath(mathPlugins);
    });
    return () => {
      here = false;
    };
  }, [wanted, math]);
  return wanted ? math : null;
}
