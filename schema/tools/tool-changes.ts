import type { AgentSnapshot } from './agent-snapshots.js';
import type { Author } from '../blocks/authors.js';
import { rewriteBlock } from '../blocks/rewriting.js';
import type { Tx } from '../db/database.js';
import { BlockNotFoundError } from '../blocks/errors.js';

/** Changes that a tool made to its agent's memory. */
export interface ToolChanges {
  /** The agent as the tool saw it. */
  readonly snapshot: AgentSnapshot;
  /** New values by block id. */
  readonly values: Readonly<Record<string, string>>;
  readonly author: Author;
}

/**
 * Writes a tool's changes of its agent's memory and merges them with concurrent ones. Returns a sentence for each
 * change that could not be written. No other writer's change is lost.
 */
export async function saveToolChanges(tx: Tx, changes: ToolChanges): Promise<readonly string[]> {
  const faults: string[] = [];
  // All writers lock in the same order, to avoid deadlocks.
  const blocks = [...changes.snapshot.blocks].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const read of blocks) {
    const value = changes.values[read.id];
    if (value === undefined) continue;
    const fault = await keepChange(tx, { read, value, author: changes.author });
    if (fault !== undefined) faults.push(fault);
  }
  return faults;
}

async function keepChange(
  tx: Tx,
  change: {
    readonly read: AgentSnapshot['blocks'][number];
    readonly value: string;
    readonly author: Author;
  },
): Promise<string | undefined> {
  const { read, value, author } = change;
  // An effect may change several blocks, each once.
  const effectId = author.effectId == null ? null : `${author.effectId}/${read.id}`;
  try {
    const outcome = await rewriteBlock(tx, { read, value, ...author, effectId });
    return outcome.ok ? undefined : outcome.message;
  } catch (error) {
    if (!(error instanceof BlockNotFoundError)) throw error;
    return `Memory block \`${read.label}\` was deleted while the tool ran.`;
  }
}
