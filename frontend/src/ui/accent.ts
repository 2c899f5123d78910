// A look's accent as the colours that the page needs: readable as text and as a surface, in light and in dark. Pure.

export interface Rgb {
  r: number;
  g: number;
  b: number;
}

/** What text in the accent stands on, in either scheme. */
const papers = { light: { r: 250, g: 248, b: 245 }, dark: { r: 22, g: 20, b: 29 } };
const inks = { light: { r: 255, g: 255, b: 255 }, dark: { r: 19, g: 17, b: 26 } };
/** As `--accent-tint` in tokens.css. */
const tintShare = { light: 0.13, dark: 0.17 };
const readable = 4.6; // a little over 4.5:1, for the tints that lie between text and paper

export const fallbackAccent = "#5a6ef0";

export function parseHex(hex: string): Rgb | null {
  const match = /^#?([0-9a-f]{6})$/i.exec(hex.trim());
  if (match?.[1] === undefined) return null;
  const value = Number.parseInt(match[1], 16);
  return { r: (value >> 16) & 255, g: (value >> 8) & 255, b: value & 255 };
}

export function toHex({ r, g, b }: Rgb): string {
  return `#${[r, g, b].map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  return {
    r: from.r + (to.r - from.r) * share,
    g: from.g + (to.g - from.g) * share,
    b: from.b + (to.b - from.b) * share,
  };
}

export function luminance({ r, g, b }: Rgb): number {
  const linear = (part: number) => {
    const c = part / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

export function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The colour nearest to the accent, on the way to `towards`, that is readable on `ground`. */
function until(accent: Rgb, towards: Rgb, ground: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.02) {
    const candidate = mix(accent, towards, share);
    if (contrast(candidate, ground) >= readable) return candidate;
  }
  return towards;
}

const black = { r: 0, g: 0, b: 0 };
const white = { r: 255, g: 255, b: 255 };

/** Turns a colour's hue by degrees, keeping its lightness roughly: for the second tone of the orb. */
export function turn({ r, g, b }: Rgb, degrees: number): Rgb {
  const angle = (degrees * Math.PI) / 180;
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const clamp = (value: number) => Math.max(0, Math.min(255, value));
  return {
    r: clamp(
      (0.213 + 0.787 * cos - 0.213 * sin) * r +
        (0.715 - 0.715 * cos - 0.715 * sin) * g +
        (0.072 - 0.072 * cos + 0.928 * sin) * b,
    ),
    g: clamp(
      (0.213 - 0.213 * cos + 0.143 * sin) * r +
        (0.715 + 0.285 * cos + 0.14 * sin) * g +
        (0.072 - 0.072 * cos - 0.283 * sin) * b,
    ),
    b: clamp(
      (0.213 - 0.213 * cos - 0.787 * sin) * r +
        (0.715 - 0.715 * cos + 0.715 * sin) * g +
        (0.072 + 0.928 * cos + 0.072 * sin) * b,
    ),
  };
}

export interface AccentTokens {
  "--accent": string;
  "--accent-text": string;
  "--accent-fill": string;
  "--accent-on-fill": string;
  "--orb-light": string;
  "--orb-mid": string;
  "--orb-deep": string;
  "--orb-turn": string;
}

export function accentTokens(hex: string, scheme: "light" | "dark"): AccentTokens {
  const accent = parseHex(hex) ?? (parseHex(fallbackAccent) as Rgb);
  // Text in the accent stands on paper and on the accent's own tint; the tint is the harder of the two.
  const tint = mix(papers[scheme], accent, tintShare[scheme]);
  const text = scheme === "light" ? until(accent, black, tint) : until(accent, white, tint);
  const on = inks[scheme];
  const fill = scheme === "light" ? until(accent, black, on) : until(accent, white, on);
  return {
    "--accent": toHex(accent),
    "--accent-text": toHex(text),
    "--accent-fill": toHex(fill),
    "--accent-on-fill": toHex(on),
    "--orb-light": toHex(mix(accent, white, 0.72)),
    "--orb-mid": toHex(accent),
    "--orb-deep": toHex(mix(turn(accent, 58), black, 0.34)),
    "--orb-turn": toHex(mix(turn(accent, -46), white, 0.18)),
  };
}
