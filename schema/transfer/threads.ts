import { sql } from 'kysely';
import type {
  TransferredMessage,
  TransferredThread,
  TransferredTranscripts,
} from '../../core/transfer/transfer.js';
import type { Message } from '../../core/threads/messages.js';
import { ConversationNotFoundError } from '../threads/errors.js';
import type { Tx } from '../db/database.js';
import { loadRange } from '../threads/messages.js';

interface ThreadRow {
  readonly id: string;
  readonly isDefault: boolean;
  readonly summaryBlockId: string | null;
  readonly extras: Readonly<Record<string, unknown>>;
  readonly archivedAt: Date | null;
  readonly createdAt: Date;
  readonly queueStart: number;
}

/**
 * The threads of an agent with the messages of their transcripts, the default one first. Throws
 * ConversationNotFoundError.
 */
export async function readThreads(
  tx: Tx,
  agentId: string,
  wanted: TransferredTranscripts,
): Promise<readonly TransferredThread[]> {
  if (wanted.kind === 'none') return [];
  const { rows } = await sql<ThreadRow>`
    select id, is_default as "isDefault", summary_block_id as "summaryBlockId", extras, archived_at as "archivedAt",
      created_at as "createdAt", queue_start as "queueStart"
    from threads where agent_id = ${agentId} and deleted_at is null
    order by is_default desc, threads.created_at, id`.execute(tx);
  if (wanted.kind === 'all') return Promise.all(rows.map((row) => readThread(tx, row)));
  const row = rows.find((one) => one.id === wanted.threadId);
  if (row === undefined) throw new ConversationNotFoundError(wanted.threadId);
  return [{ ...(await readThread(tx, row)), isDefault: true, extras: {}, archivedAt: null }];
}

async function readThread(tx: Tx, { id, queueStart, ...row }: ThreadRow): Promise<TransferredThread> {
  const messages = await loadRange(tx, id, { from: 1, to: Number.MAX_SAFE_INTEGER });
  const inContext = messages.filter(({ position }) => position !== null && position >= queueStart).length;
  return { ...row, messages: messages.map(toTransferredMessage), inContext };
}

function toTransferredMessage({ createdAt, otid, senderId, body }: Message): TransferredMessage {
  return { createdAt, otid, senderId, body };
}
