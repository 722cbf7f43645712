import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { AgentCopy } from './block-copies.js';
import type { Tx } from '../db/database.js';
import type { Moment } from './moments.js';

/**
 * Copies an agent's archives to another agent, with their passages at a moment. Passages that the original has pinned
 * now are pinned in the copy if they existed then, including those of files, which both share.
 */
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
    await copyPassages(tx, { from: archive.archive_id, to: id, moment, agents: { from, to } });
  }
  await sql`
    insert into pinned_passages (agent_id, passage_id, pinned_at)
    select ${to}, pin.passage_id, pin.pinned_at
    from pinned_passages pin join passages on passages.id = pin.passage_id
    where pin.agent_id = ${from} and passages.archive_id is null`.execute(tx);
}

interface PassagesCopy {
  readonly from: string;
  readonly to: string;
  readonly moment: Moment;
  /** Whose pins to copy to whom. */
  readonly agents: { readonly from: string; readonly to: string };
}

async function copyPassages(tx: Tx, { from, to, moment, agents }: PassagesCopy): Promise<void> {
  const kept = sql.raw('words, tags, metadata, identifiers, embedding, embedding_model, created_at');
  await sql`
    with past as materialized (
      select 'passage-' || gen_random_uuid() as copy, id, ${kept} from (
        select id, ${kept} from passages where archive_id = ${from} and stored_at <= ${moment.time}::timestamptz
        union all
        select id, ${kept} from past_passages
        where archive_id = ${from} and stored_at <= ${moment.time}::timestamptz and gone_at > ${moment.time}::timestamptz
      ) as found
    ), copied as (
      insert into passages (id, archive_id, ${kept}) select copy, ${to}, ${kept} from past
    )
    insert into pinned_passages (agent_id, passage_id, pinned_at)
    select ${agents.to}, past.copy, pin.pinned_at
    from past join pinned_passages pin on pin.passage_id = past.id and pin.agent_id = ${agents.from}`.execute(
    tx,
  );
}
