import { derivedId } from '../../core/ids.js';
import { fitSummary } from '../../core/threads/summary.js';
import { changeBlock } from '../blocks/changes.js';
import { createBlock } from '../blocks/blocks.js';
import { dropChunkSummaries } from './chunk-summaries.js';
import type { Db, Tx } from '../db/database.js';
import { requestIndexingAfterEviction } from './recall-indexing.js';
import { requestAtEviction } from '../refinement/requests.js';
import type { Thread } from './threads.js';

/** How an eviction got its summary. `hard`: at least partly without one. */
export type EvictionMethod = 'summarised' | 'summarised_in_chunks' | 'hard';

/** The result of an eviction. */
export interface Eviction {
  readonly id: string;
  readonly threadId: string;
  readonly turnId: string;
  /** Its level: 0 is the usual cut, higher ones keep less. */
  readonly level: number;
  readonly method: EvictionMethod;
  /** The first position that stays in context. */
  readonly keepFrom: number;
  readonly messages: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

export async function getEviction(db: Db, id: string): Promise<Eviction | undefined> {
  const row = await db.selectFrom('evictions').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    id: row.id,
    threadId: row.thread_id,
    turnId: row.turn_id,
    level: row.level,
    method: row.method as EvictionMethod,
    keepFrom: row.keep_from,
    messages: row.messages,
    tokensBefore: row.tokens_before,
    tokensAfter: row.tokens_after,
  };
}

/** Label of the block with the summary of evicted messages. */
const summaryLabel = 'conversation_summary';

/** The current summary; empty before the first eviction. */
export async function readSummary(db: Db | Tx, thread: Thread): Promise<string> {
  if (thread.summaryBlockId === null) return '';
  const row = await db
    .selectFrom('blocks')
    .select('value')
    .where('id', '=', thread.summaryBlockId)
    .executeTakeFirst();
  return row?.value ?? '';
}

/** An eviction with its summary. */
interface SummarisedEviction {
  readonly eviction: Eviction;
  readonly summary: string;
  /** The limit of the summary's block, in characters. */
  readonly limit: number;
}

/**
 * Moves the start of the message queue and writes the new summary to its block, in the caller's transaction with the
 * thread locked. The epoch ends, so the next step compiles its prefix again. An eviction that another attempt has
 * written stays unchanged. Returns whether it was written now.
 */
export async function commitEviction(tx: Tx, thread: Thread, made: SummarisedEviction): Promise<boolean> {
  const { eviction } = made;
  const row = await tx
    .insertInto('evictions')
    .values({
      id: eviction.id,
      thread_id: thread.id,
      turn_id: eviction.turnId,
      level: eviction.level,
      method: eviction.method,
      keep_from: eviction.keepFrom,
      messages: eviction.messages,
      tokens_before: eviction.tokensBefore,
      tokens_after: eviction.tokensAfter,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) return false;
  await requestAtEviction(tx, thread.agentId);
  await requestIndexingAfterEviction(tx, thread.agentId);
  const blockId = await saveSummary(tx, thread, made);
  await dropChunkSummaries(tx, thread.id);
  await tx
    .updateTable('threads')
    .set({ queue_start: eviction.keepFrom, epoch_id: null, summary_block_id: blockId })
    .where('id', '=', thread.id)
    .execute();
  return true;
}

/** Writes the summary and returns its block's id. */
async function saveSummary(tx: Tx, thread: Thread, made: SummarisedEviction): Promise<string> {
  const { summary, limit } = made;
  if (thread.summaryBlockId !== null) return changeSummary(tx, thread.summaryBlockId, thread, made);
  const block = await createBlock(tx, {
    id: derivedId('block', thread.id, 'summary', made.eviction.id),
    label: summaryLabel,
    value: summary,
    limit,
    description: 'Stands for the messages that left the context. Written by the runtime.',
    readOnly: true,
    author: { actor: 'runtime', agentId: thread.agentId, turnId: made.eviction.turnId },
  });
  return block.id;
}

/** If a user lowered the block's limit, the summary is cut to fit rather than lost. */
async function changeSummary(
  tx: Tx,
  blockId: string,
  thread: Thread,
  { eviction, summary }: SummarisedEviction,
): Promise<string> {
  const change = {
    blockId,
    actor: 'runtime' as const,
    agentId: thread.agentId,
    turnId: eviction.turnId,
    effectId: eviction.id,
  };
  const outcome = await changeBlock(tx, { ...change, operation: { kind: 'set', value: summary } });
  if (outcome.ok) return blockId;
  const value = fitSummary(summary, outcome.block.limit);
  const fitted = await changeBlock(tx, { ...change, operation: { kind: 'set', value } });
  if (!fitted.ok) throw new Error(`The summary block ${blockId} refused a summary: ${fitted.code}.`);
  return blockId;
}
