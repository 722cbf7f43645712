import type { Actor } from '../blocks/blocks.js';
import { figureLines, type MemoryFigures } from './memory-figures.js';
import { unifiedDiff } from '../blocks/unified-diff.js';

/** Who changed a block, for a notice. */
export interface ChangeAuthor {
  readonly actor: Actor;
  readonly agentId: string | null;
  /** The agent's name; null: unknown, or purged. */
  readonly name: string | null;
}

/** A change of a block that the reader's prefix does not show yet. */
export interface NoticedChange {
  readonly label: string;
  /** The value that the reader knows; null: none. */
  readonly before: string | null;
  readonly after: string;
  /** Who changed it, in words. */
  readonly by: string;
}

/**
 * A notice of a block that another thread, a user or a tool changed: the difference, or the whole value if that is
 * shorter.
 */
export function noticeOfChange({ label, before, after, by }: NoticedChange): string {
  const opening = `Your memory block ${JSON.stringify(label)} was changed by ${by}.`;
  if (after === '') return `${opening} It is empty now.`;
  const difference = before === null ? undefined : unifiedDiff(before, after);
  if (difference !== undefined && difference.length < after.length) {
    return `${opening} Changes ("-" lines were removed, "+" lines added):\n${difference}`;
  }
  return `${opening} Its value is now, to the end of this notice:\n${after}`;
}

/** A notice of memory figures that changed since the prefix was compiled. */
export function noticeOfFigures(figures: MemoryFigures): string {
  return ['Outside your context there is now:', ...figureLines(figures)].join('\n');
}

/** A notice for a prefix that was compiled again, above messages that describe an older one. */
export const noticeOfNewPrefix =
  'The top of your context was just rewritten. It shows your memory blocks as they are now; what earlier messages say about their contents is outdated.';

const mostNamed = 3;

/** Names the authors of a change to the agent `readerId`: `a user and the agent "Ada"`. */
export function nameAuthors(authors: readonly ChangeAuthor[], readerId: string): string {
  const names = [...new Set(authors.map((author) => nameAuthor(author, readerId)))];
  if (names.length === 0) return 'somebody else';
  const shown = names.length > mostNamed ? [...names.slice(0, mostNamed - 1), 'others'] : names;
  const last = shown.at(-1) ?? '';
  return shown.length === 1 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}

function nameAuthor({ actor, agentId, name }: ChangeAuthor, readerId: string): string {
  if (actor === 'user') return 'a user';
  if (actor === 'tool') return 'a tool';
  if (actor === 'runtime') return 'the runtime';
  if (agentId === readerId) return 'you';
  const kind = actor === 'sleep_time' ? 'sleep-time agent' : 'agent';
  return name === null ? `another ${kind}` : `the ${kind} ${JSON.stringify(name)}`;
}

/** Below this many characters of notices, a new prefix costs more than it saves. */
const leastToOutgrow = 4_000;

/**
 * Whether the notices, in characters, have outgrown the blocks that they describe, so that the prefix should be
 * compiled again.
 */
export function haveOutgrown(notices: {
  readonly told: number;
  readonly more: number;
  readonly blocks: number;
}): boolean {
  return notices.told + notices.more > Math.max(leastToOutgrow, notices.blocks);
}
