import { sql } from 'kysely';
import type { MessageEdit } from '../../core/turns/chores.js';
import { editBody } from '../../core/threads/message-edits.js';
import { type MessageBody, messageText } from '../../core/threads/messages.js';
import { estimateTokens } from '../../core/threads/tokens.js';
import { allowTime, type Db, type Tx } from '../db/database.js';
import { listSpeakingTools } from '../tools/extension-tools.js';
import { identifiersOf } from '../archives/identifiers.js';
import { getMessages } from './messages.js';
import { storable, toJson } from '../db/storable.js';
import type { Thread } from './threads.js';

/**
 * Removes all messages of a locked thread that are in the transcript, its summary and its waiting calls. Queued
 * deliveries stay. Blocks and archival memory belong to the agent and stay too.
 */
export async function resetThread(tx: Tx, thread: Thread): Promise<void> {
  await allowTime(tx);
  await sql`
    update effects set state = 'done', status = 'error', completed_at = clock_timestamp()
    from steps where steps.id = effects.step_id and steps.thread_id = ${thread.id} and effects.state in ('awaiting', 'held')`.execute(
    tx,
  );
  await tx
    .deleteFrom('messages')
    .where('thread_id', '=', thread.id)
    .where('position', 'is not', null)
    .execute();
  await sql`
    update threads set queue_start = next_position, epoch_id = null, awaiting_step = null, summary_block_id = null
    where id = ${thread.id}`.execute(tx);
  if (thread.summaryBlockId !== null) {
    await tx.deleteFrom('blocks').where('id', '=', thread.summaryBlockId).execute();
  }
}

/** The content of a message after an edit; undefined where the message is missing or has no such part. */
export async function editedBody(
  db: Db | Tx,
  threadId: string,
  { messageId, edit }: { readonly messageId: string; readonly edit: MessageEdit },
): Promise<MessageBody | undefined> {
  const [message] = await getMessages(db, [messageId]);
  if (message?.threadId !== threadId || message.position === null) return undefined;
  return editBody(message.body, edit, await listSpeakingTools(db));
}

/** Replaces a message's content, also in recall search. */
export async function replaceBody(tx: Tx, messageId: string, body: MessageBody): Promise<void> {
  const words = storable(messageText(body));
  await tx
    .updateTable('messages')
    .set({
      body: toJson(body),
      words,
      tokens: estimateTokens(words),
      identifiers: identifiersOf(words),
      embedding: null,
      embedding_model: null,
    })
    .where('id', '=', messageId)
    .execute();
}
