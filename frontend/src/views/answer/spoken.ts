// Finds the sentence that is being spoken in an answer as it is shown. Its spoken form has no Markdown, so letters and digits
// alone are compared.

const letter = /[\p{L}\p{N}]/u;

export interface Letters {
  text: string;
  /** Where each letter stands in the shown text. */
  at: number[];
}

export function lettersOf(shown: string): Letters {
  let text = "";
  const at: number[] = [];
  for (let index = 0; index < shown.length; index++) {
    const char = shown[index] ?? "";
    if (!letter.test(char)) continue;
    const lower = char.toLowerCase();
    text += lower.length === 1 ? lower : char;
    at.push(index);
  }
  return { text, at };
}

/** The range of the sentence `index` in the shown text; earlier sentences are found first, so that a repeated one is told apart. */
export function findSpoken(
  shown: string,
  sentences: Record<number, string>,
  index: number,
): { from: number; to: number } | null {
  const letters = lettersOf(shown);
  let cursor = 0;
  for (let i = 0; i <= index; i++) {
    const sentence = sentences[i];
    if (sentence === undefined) continue;
    const wanted = lettersOf(sentence).text;
    if (wanted === "") continue;
    const found = letters.text.indexOf(wanted, cursor);
    if (found < 0) continue;
    cursor = found + wanted.length;
    if (i !== index) continue;
    const from = letters.at[found] ?? 0;
    const last = letters.at[cursor - 1] ?? from;
    let to = last + 1;
    while (/[.!?…"”)\]]/.test(shown[to] ?? "")) to++;
    return { from, to };
  }
  return null;
}
