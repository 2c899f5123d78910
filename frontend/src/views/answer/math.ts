import "katex/dist/katex.min.css";
import rehypeKatex from "rehype-katex";
import remarkMath from "remark-math";
import type { MathPlugins } from "./useMath";

// A single dollar is money more often than a formula.
export const mathPlugins: MathPlugins = {
  remarkPlugins: [[remarkMath, { singleDollarTextMath: false }]],
  rehypePlugins: [[rehypeKatex, { strict: false, trust: false, maxExpand: 200 }]],
};
