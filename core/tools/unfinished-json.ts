/**
 * The quotes that open a string, and what closes each. Double quotes match exactly; sloppy writers mix the others.
 */
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
 * Whether the object at the start of a text is incomplete: a string, a list or the object itself is still open at the
 * end, or closed by the wrong bracket. Always true for a JSON object that was cut off. For text that is not quite
 * JSON, it errs towards true.
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

/**
 * A double quote opens a string anywhere. Others open one only where a name or a value begins; elsewhere they are
 * apostrophes.
 */
function opensString(text: string, at: number): boolean {
  const one = text.charAt(at);
  if (one === '"') return true;
  return one in closers && /[{[,:]\s*$/.test(text.slice(Math.max(0, at - 100), at));
}

/** The index of the closing quote; the text's length where there is none. */
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
