/** A part of a document that becomes a passage. Lines are numbered from 1 and inclusive. */
export interface Chunk {
  readonly text: string;
  readonly firstLine: number;
  readonly lastLine: number;
}

/** How to cut a document. */
export interface ChunkSettings {
  /** Tokens of a chunk, at most. */
  readonly size: number;
  /** Tokens that a chunk may repeat from the one before, so that a sentence at the cut is found whole. */
  readonly overlap: number;
  readonly countTokens: (text: string) => number;
}

/**
 * Cuts a text into chunks: at headings and paragraphs if possible, else at lines, sentences and words, and inside a
 * word only if the word is too long for a chunk. Every word is in a chunk, in order. A heading stays with the text
 * below it.
 */
export function cutIntoChunks(text: string, settings: ChunkSettings): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let open: readonly Unit[] = [];
  let repeated = 0;
  for (const unit of unitsOf(text, settings)) {
    const filled = tokensOf(open);
    if (filled + unit.tokens > settings.size || (unit.isHeading && filled > settings.size / 2)) {
      const { body, next, isNew } = cutBefore(unit, open, settings);
      if (body.length > repeated) chunks.push(toChunk(body));
      open = next;
      repeated = isNew ? 0 : next.length;
    }
    open = [...open, unit];
  }
  if (open.length > repeated) chunks.push(toChunk(open));
  return chunks;
}

/**
 * Closes a chunk. Returns its units and what the next chunk begins with: headings at its end, which belong to the
 * text below them, else the overlap; nothing before a heading, which begins a new topic.
 */
function cutBefore(unit: Unit, open: readonly Unit[], { size, overlap }: ChunkSettings) {
  const titles = trailingHeadings(open);
  if (titles.length > 0 && titles.length < open.length && tokensOf(titles) + unit.tokens <= size) {
    return { body: open.slice(0, -titles.length), next: titles, isNew: true };
  }
  const next = unit.isHeading ? [] : lastUnits(open, Math.min(overlap, size - unit.tokens));
  return { body: open, next, isNew: false };
}

/** A piece that is not cut further. */
interface Unit {
  readonly text: string;
  /** The separator before it. */
  readonly before: string;
  readonly line: number;
  readonly lastLine: number;
  /** The separator's included. */
  readonly tokens: number;
  readonly isHeading: boolean;
}

interface Piece {
  readonly text: string;
  readonly before: string;
  readonly line: number;
}

const separatorTokens = 1;

function* unitsOf(text: string, settings: ChunkSettings): Generator<Unit> {
  for (const paragraph of paragraphsOf(text)) yield* fitted(paragraph, settings, cuts);
}

/** Runs of lines that aren't blank. A heading is a paragraph of its own. */
function* paragraphsOf(text: string): Generator<Piece> {
  let lines: string[] = [];
  let start = 0;
  const all = text.split('\n');
  const take = (): Piece[] => {
    const paragraph = { text: lines.join('\n'), before: '\n\n', line: start + 1 };
    lines = [];
    return paragraph.text === '' ? [] : [paragraph];
  };
  for (const [index, raw] of all.entries()) {
    const line = raw.trimEnd();
    if (line.trim() === '') {
      yield* take();
      continue;
    }
    if (isHeading(line)) {
      yield* take();
      start = index;
      lines.push(line);
      yield* take();
      continue;
    }
    if (lines.length === 0) start = index;
    lines.push(line);
  }
  yield* take();
}

function isHeading(text: string): boolean {
  return /^#{1,6}\s+\S/.test(text);
}

/** Ways to cut a piece that is too long, best first. */
const cuts: readonly ((piece: Piece, settings: ChunkSettings) => Piece[])[] = [
  ({ text, before, line }) =>
    text
      .split('\n')
      .map((each, index) => ({ text: each, before: index === 0 ? before : '\n', line: line + index })),
  (piece) => splitAt(piece, /(?<=[.!?…。！？])\s+/u),
  (piece) => splitAt(piece, /\s+/u),
  (piece, { size }) => {
    // A character has at most four tokens in any script.
    const length = Math.max(1, Math.floor(size / 4));
    const letters = Array.from(piece.text);
    const count = Math.ceil(letters.length / length);
    return Array.from({ length: count }, (_, index) => ({
      text: letters.slice(index * length, (index + 1) * length).join(''),
      before: index === 0 ? piece.before : '',
      line: piece.line,
    }));
  },
];

function splitAt({ text, before, line }: Piece, separator: RegExp): Piece[] {
  return text
    .split(separator)
    .filter((each) => each !== '')
    .map((each, index) => ({ text: each, before: index === 0 ? before : ' ', line }));
}

function* fitted(piece: Piece, settings: ChunkSettings, ways: typeof cuts): Generator<Unit> {
  const tokens = settings.countTokens(piece.text) + separatorTokens;
  const [way, ...rest] = ways;
  if (tokens <= settings.size || way === undefined) {
    const lastLine = piece.line + (piece.text.match(/\n/g)?.length ?? 0);
    yield { ...piece, lastLine, tokens, isHeading: isHeading(piece.text) };
    return;
  }
  for (const part of way(piece, settings)) yield* fitted(part, settings, rest);
}

function tokensOf(units: readonly Unit[]): number {
  return units.reduce((sum, unit) => sum + unit.tokens, 0);
}

function trailingHeadings(units: readonly Unit[]): readonly Unit[] {
  let from = units.length;
  while (from > 0 && units[from - 1]?.isHeading === true) from -= 1;
  return units.slice(from);
}

/** The last units that together have at most this many tokens. */
function lastUnits(units: readonly Unit[], tokens: number): Unit[] {
  let left = tokens;
  let from = units.length;
  while (from > 0) {
    left -= units[from - 1]?.tokens ?? 0;
    if (left < 0) break;
    from -= 1;
  }
  return units.slice(from);
}

function toChunk(units: readonly Unit[]): Chunk {
  const text = units.map((unit, index) => (index === 0 ? unit.text : unit.before + unit.text)).join('');
  return { text, firstLine: units[0]?.line ?? 1, lastLine: units.at(-1)?.lastLine ?? 1 };
}
