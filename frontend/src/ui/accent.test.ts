import { describe, expect, test } from "vitest";
import { accentTokens, contrast, fallbackAccent, mix, parseHex, type Rgb } from "./accent";

const colour = (hex: string) => parseHex(hex) as Rgb;
const accents = ["#3fb8a0", "#e0603f", "#f5d90a", "#000000", "#ffffff", "#7c5cff", "not a colour"];

describe.each(["light", "dark"] as const)("accents in %s", (scheme) => {
  test.each(accents)("%s is readable as text and under text", (hex) => {
    const tokens = accentTokens(hex, scheme);
    const paper = scheme === "light" ? colour("#faf8f5") : colour("#16141d");
    expect(contrast(colour(tokens["--accent-text"]), paper)).toBeGreaterThanOrEqual(4.5);
    const tint = mix(paper, parseHex(hex) ?? colour(fallbackAccent), scheme === "light" ? 0.13 : 0.17);
    expect(contrast(colour(tokens["--accent-text"]), tint)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(colour(tokens["--accent-fill"]), colour(tokens["--accent-on-fill"]))).toBeGreaterThanOrEqual(4.5);
  });
});
