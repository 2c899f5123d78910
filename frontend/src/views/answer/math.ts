import "katex/dist/katex.min.css";
import type { Options } from "react-markdown";
import rehypeKatex from "rehype-katex";
import remarkMath from "remark-math";

export type MathPlugins = Pick<Options, "remarkPlugins" | "rehypePlugins">;

// A single dollar is money more often than a formula.
export const mathPlugins: MathPlugins = {
  remarkPlugins: [[remarkMath, { singleDollarTextMath: false }]],
  rehypePlugins: [[rehypeKatex, { strict: false, trust: false, maxExpand: 200 }]],
};
