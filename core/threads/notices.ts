import type { Actor } from '../blocks/blocks.js';
import { figureLines, type MemoryFigures } from './memory-figures.js';
import { unifiedDiff } from '../blocks/unified-diff.js';

/** Who changed a block, as a notice names them. */
export interface ChangeAuthor {
  readonly actor: Actor;
  readonly agentId: string | null;
  /** The agent's name; null where it is unknown, or was purged. */
  readonly name: string | null;
}

/** A change of a block that the reader's prefix doesn't show yet. */
export interface NoticedChange {
  readonly label: string;
  /** As the reader knows it; null: not at all. */
  readonly before: string | null;
  readonly after: string;
  /** In words. */
  readonly by: string;
}

/** Words for a block that another thread, a user or a tool changed: the changed lines, or all of it if shorter. */
export function noticeOfChange({ label, before, after, by }: NoticedChange): string {
  const opening = `Your memory block ${JSON.stringify(label)} was changed by ${by}.`;
  if (after === '') return `${opening} It is empty now.`;
  const difference = before === null ? undefined : unifiedDiff(before, after);
  if (difference !== undefined && difference.length < after.length) {
    return `${opening} What changed ("-" is taken out, "+" is new):\n${difference}`;
  }
  return `${opening} Its value is now, to the end of this notice:\n${after}`;
}

/** Words for memory figures that changed since the prefix was compiled. */
export function noticeOfFigures(figures: MemoryFigures): string {
  return ['Outside your context there is now:', ...figureLines(figures)].join('\n');
}

/** Words for a prefix that was compiled anew above messages that told of an older one. */
export const noticeOfNewPrefix =
  'The top of your context was written anew just now. Your memory blocks are as they stand there: what messages before this one say of their contents is outdated.';

const mostNamed = 3;

/** Those who changed a block, as `readerId` is told of them: `a user and the agent "Ada"`. */
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

/** Below so many characters of notices, compiling anew costs more than it saves. */
const leastToOutgrow = 4_000;

/** Whether notices, in characters, have outgrown the blocks of which they tell: then the prefix is better compiled anew. */
export function haveOutgrown(notices: {
  readonly told: number;
  readonly more: number;
  readonly blocks: number;
}): boolean {
  return notices.told + notices.more > Math.max(leastToOutgrow, notices.blocks);
}
