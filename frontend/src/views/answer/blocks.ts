// Cuts Markdown into blocks that can be rendered, and kept, one by one: while an answer streams, only its last block changes.

const fence = /^ {0,3}(`{3,}|~{3,})/;
const listItem = /^ {0,3}([-*+]|\d{1,9}[.)])\s/;
const indented = /^( {2,}|\t)\S/;
/** A definition that other blocks may use: such a text is rendered whole. */
const definition = /^ {0,3}\[[^\]]+\]:/m;

export function splitBlocks(text: string): string[] {
  if (definition.test(text)) return [text];
  const blocks: string[] = [];
  let block: string[] = [];
  let open: string | null = null;
  let list = false;
  let blank = false;

  const close = () => {
    if (block.some((line) => line.trim() !== "")) blocks.push(block.join("\n"));
    block = [];
    list = false;
  };

  for (const line of text.split("\n")) {
    if (open !== null) {
      block.push(line);
      const closing = fence.exec(line)?.[1];
      if ((closing?.startsWith(open) && line.trim() === closing) || (open === "$$" && line.trim() === "$$"))
        open = null;
      continue;
    }
    if (line.trim() === "") {
      blank = true;
      block.push(line);
      continue;
    }
    const goesOn = list && (listItem.test(line) || indented.test(line));
    if (blank && !goesOn) close();
    blank = false;
    if (block.length === 0) list = listItem.test(line);
    block.push(line);
    open = fence.exec(line)?.[1] ?? (line.trim() === "$$" ? "$$" : null);
  }
  close();
  return blocks;
}

/** The two ways in which models write formulas become the one that the parser knows. */
export function withMath(text: string): string {
  return text
    .replace(/\\\[([\s\S]+?)\\\]/g, (_, inner: string) => `\n$$\n${inner.trim()}\n$$\n`)
    .replace(/\\\((.+?)\\\)/g, (_, inner: string) => `$$${inner}$$`);
}

export function hasMath(text: string): boolean {
  return /\$\$|\\\[|\\\(/.test(text);
}
