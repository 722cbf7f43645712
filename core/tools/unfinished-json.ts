/** What opens a string, and what ends it. A double quote ends at the next one; of the others sloppy writers mix the kinds. */
const closers: Readonly<Record<string, string>> = {
  '"': '"',
  '“': '"“”',
  '”': '"“”',
  "'": "'‘’`´",
  '‘': "'‘’`´",
  '`': "'‘’`´",
};
const brackets: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/**
 * Whether the object that a text begins with lacks its end: a string, a list or the object itself is still open where the
 * text is over, or is closed by the wrong bracket. True of every text that was cut off from a whole object in JSON. The
 * text may be not quite JSON; what this says of such a text errs towards true.
 */
export function isUnfinished(text: string): boolean {
  const open: string[] = [];
  const start = text.indexOf('{');
  if (start === -1) return false;
  for (let at = start; at < text.length; at += 1) {
    const one = text.charAt(at);
    const closing = brackets[one];
    if (closing !== undefined) {
      open.push(closing);
    } else if (one === '}' || one === ']') {
      if (open.pop() !== one) return true;
      if (open.length === 0) return false;
    } else if (opensString(text, at)) {
      at = endOfString(text, at);
    }
  }
  return true;
}

/** A double quote opens a string anywhere; others are apostrophes but where a name or a value begins. */
function opensString(text: string, at: number): boolean {
  const one = text.charAt(at);
  if (one === '"') return true;
  return one in closers && /[{[,:]\s*$/.test(text.slice(Math.max(0, at - 100), at));
}

/** The place of the quote that ends the string; the text's length where none does. */
function endOfString(text: string, start: number): number {
  const opening = text.charAt(start);
  const closing = closers[opening] ?? opening;
  for (let at = start + 1; at < text.length; at += 1) {
    const one = text.charAt(at);
    if (one === '\\') at += 1;
    else if (
      closing.includes(one) &&
      (opening === '"' || /^\s*([,:}\]]|$)/.test(text.slice(at + 1, at + 100)))
    )
      return at;
  }
  return text.length;
}
