import { randomUUID } from 'node:crypto';
import type {
  TransferredAgent,
  TransferredMessage,
  TransferredThread,
} from '../../core/transfer/transfer.js';
import type { Tx } from '../db/database.js';
import { insertMessages } from '../threads/messages.js';
import { toJson } from '../db/storable.js';

/** Messages per statement, far below the protocol's limit of parameters. */
const batch = 500;

/** The new ids for those of a transfer. */
interface Named {
  readonly agents: ReadonlyMap<string, string>;
  readonly blocks: ReadonlyMap<string, string>;
}

/** Writes the threads of a transferred agent to a new agent. The contents of its default thread are replaced. */
export async function writeThreads(tx: Tx, agent: TransferredAgent, named: Named): Promise<void> {
  const agentId = named.agents.get(agent.id) ?? agent.id;
  for (const thread of agent.threads) {
    const id = thread.isDefault ? agentId : `conv-${randomUUID()}`;
    const end = thread.messages.length + 1;
    await writeThread(tx, thread, { id, agentId });
    await writeMessages(tx, thread.messages, { threadId: id, agentId, agents: named.agents });
    // After the messages: a trigger counts those that the queue's start passes.
    await tx
      .updateTable('threads')
      .set({
        next_position: end,
        queue_start: end - thread.inContext,
        summary_block_id:
          thread.summaryBlockId === null ? null : (named.blocks.get(thread.summaryBlockId) ?? null),
      })
      .where('id', '=', id)
      .execute();
  }
}

async function writeThread(
  tx: Tx,
  thread: TransferredThread,
  { id, agentId }: { readonly id: string; readonly agentId: string },
): Promise<void> {
  const fields = { extras: toJson(thread.extras), archived_at: thread.archivedAt };
  if (thread.isDefault) {
    await tx.updateTable('threads').set(fields).where('id', '=', id).execute();
    return;
  }
  const made = thread.createdAt === null ? {} : { created_at: thread.createdAt };
  await tx
    .insertInto('threads')
    .values({ id, agent_id: agentId, is_default: false, ...fields, ...made })
    .execute();
}

async function writeMessages(
  tx: Tx,
  messages: readonly TransferredMessage[],
  of: { readonly threadId: string; readonly agentId: string; readonly agents: ReadonlyMap<string, string> },
): Promise<void> {
  for (let from = 0; from < messages.length; from += batch) {
    const rows = messages.slice(from, from + batch).map(({ senderId, ...message }, index) => ({
      ...message,
      id: `message-${randomUUID()}`,
      agentId: of.agentId,
      threadId: of.threadId,
      turnId: null,
      stepId: null,
      position: from + index + 1,
      senderId: senderId === null ? null : (of.agents.get(senderId) ?? senderId),
    }));
    await insertMessages(tx, rows);
  }
}
