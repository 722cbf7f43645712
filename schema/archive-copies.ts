import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { AgentCopy } from './block-copies.js';
import type { Tx } from './database.js';
import type { Moment } from './moments.js';

/** Gives an agent archives of its own: those of another one, with the passages that were in them at a moment. */
export async function copyArchives(tx: Tx, { from, to, moment }: AgentCopy): Promise<void> {
  const archives = await tx
    .selectFrom('agent_archives')
    .select(['archive_id', 'is_owner'])
    .where('agent_id', '=', from)
    .execute();
  for (const archive of archives) {
    const id = `archive-${randomUUID()}`;
    await sql`insert into archives (id, name, description, embedding, metadata)
      select ${id}, name, description, embedding, metadata from archives where id = ${archive.archive_id}`.execute(
      tx,
    );
    await tx
      .insertInto('agent_archives')
      .values({ agent_id: to, archive_id: id, is_owner: archive.is_owner })
      .execute();
    await copyPassages(tx, { from: archive.archive_id, to: id, moment });
  }
}

async function copyPassages(tx: Tx, copy: { from: string; to: string; moment: Moment }): Promise<void> {
  const { from, to, moment } = copy;
  const kept = sql.raw('words, tags, metadata, identifiers, embedding, embedding_model, created_at');
  await sql`
    insert into passages (id, archive_id, ${kept})
    select 'passage-' || gen_random_uuid(), ${to}, ${kept} from (
      select ${kept} from passages where archive_id = ${from} and stored_at <= ${moment.time}::timestamptz
      union all
      select ${kept} from past_passages
      where archive_id = ${from} and stored_at <= ${moment.time}::timestamptz and gone_at > ${moment.time}::timestamptz
    ) as past`.execute(tx);
}
