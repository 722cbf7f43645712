import { diffLines, diffWordsWithSpace } from 'diff';
import type { Paint } from './paint.js';

/** Unchanged lines that are shown around a change. */
const context = 1;

type Line = { readonly sign: ' ' | '+' | '-'; readonly text: string };

/** The lines that changed from one text to another, with a line around them. Empty where nothing did. */
export function renderChange(before: string, after: string, paint: Paint): string[] {
  const lines = diffLines(ended(before), ended(after)).flatMap(({ value, added, removed }) =>
    toLines(value).map((text): Line => ({ sign: added ? '+' : removed ? '-' : ' ', text })),
  );
  const isNear = (place: number): boolean =>
    lines.slice(Math.max(0, place - context), place + context + 1).some(({ sign }) => sign !== ' ');
  const shown: string[] = [];
  let skipped = false;
  for (const [place, line] of lines.entries()) {
    if (!isNear(place)) {
      skipped = true;
      continue;
    }
    if (skipped && shown.length > 0) shown.push(paint.dim('  …'));
    skipped = false;
    shown.push(paintLine(lines, place, line, paint));
  }
  return shown;
}

/** A unified diff with colours. */
export function paintUnified(difference: string, paint: Paint): string[] {
  return difference.split('\n').map((line) => {
    if (line.startsWith('@@')) return paint.cyan(line);
    if (line.startsWith('+')) return paint.green(line);
    return line.startsWith('-') ? paint.red(line) : line;
  });
}

/** A last line that only gets an end has not changed. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function toLines(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Where one line took the place of one other, the words that differ are underlined. */
function paintLine(lines: readonly Line[], place: number, { sign, text }: Line, paint: Paint): string {
  if (sign === ' ') return paint.dim(`  ${text}`);
  const colour = sign === '+' ? paint.green : paint.red;
  const other = lines[sign === '-' ? place + 1 : place - 1];
  const isPair = other !== undefined && other.sign === (sign === '-' ? '+' : '-');
  if (!isPair) return colour(`${sign} ${text}`);
  const [before, after] = sign === '-' ? [text, other.text] : [other.text, text];
  const words = diffWordsWithSpace(before, after)
    .filter(({ added, removed }) => (sign === '+' ? !removed : !added))
    .map(({ value, added, removed }) => (added || removed ? paint.underline(value) : value));
  return colour(`${sign} ${words.join('')}`);
}
