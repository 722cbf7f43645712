import type { Db, Tx } from './database.js';
import { changeBlock } from './block-changes.js';
import { createBlock } from './blocks.js';
import type { Thread } from './threads.js';

/** What an eviction did. */
export interface Eviction {
  readonly id: string;
  readonly threadId: string;
  readonly turnId: string;
  /** How hard it pressed: 0 is the usual cut. */
  readonly level: number;
  readonly method: 'summarised' | 'summarised_in_chunks' | 'hard';
  /** First position that stays in context. */
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
    method: row.method as Eviction['method'],
    keepFrom: row.keep_from,
    messages: row.messages,
    tokensBefore: row.tokens_before,
    tokensAfter: row.tokens_after,
  };
}

/** Label of the block that stands for what left the context. */
const summaryLabel = 'conversation_summary';

/** The summary as it stands; empty where nothing was evicted yet. */
export async function readSummary(db: Db | Tx, thread: Thread): Promise<string> {
  if (thread.summaryBlockId === null) return '';
  const row = await db
    .selectFrom('blocks')
    .select('value')
    .where('id', '=', thread.summaryBlockId)
    .executeTakeFirst();
  return row?.value ?? '';
}

/**
 * Moves the start of the message queue and puts the new summary in the thread's summary block, in the caller's
 * transaction with the thread locked. The epoch ends: the next step renders its prefix anew.
 */
export async function commitEviction(
  tx: Tx,
  thread: Thread,
  eviction: Eviction,
  summary: { readonly blockId: string; readonly value: string; readonly limit: number },
): Promise<void> {
  await tx
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
    .execute();
  await saveSummary(tx, thread, eviction, summary);
  await tx
    .updateTable('threads')
    .set({ queue_start: eviction.keepFrom, epoch_id: null, summary_block_id: summary.blockId })
    .where('id', '=', thread.id)
    .execute();
}

async function saveSummary(
  tx: Tx,
  thread: Thread,
  eviction: Eviction,
  summary: { readonly blockId: string; readonly value: string; readonly limit: number },
): Promise<void> {
  if (thread.summaryBlockId === null) {
    await createBlock(tx, {
      id: summary.blockId,
      label: summaryLabel,
      value: summary.value,
      limit: summary.limit,
      description: 'Stands for the messages that left the context. Written by the runtime.',
      readOnly: true,
    });
    return;
  }
  await changeBlock(tx, {
    blockId: thread.summaryBlockId,
    operation: { kind: 'set', value: summary.value },
    actor: 'runtime',
    agentId: thread.agentId,
    turnId: eviction.turnId,
    effectId: eviction.id,
  });
}
