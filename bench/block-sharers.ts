import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../schema/db/database.js';

/** Adds agents that share a block and have seen it. They have no tools and no other blocks. */
export async function addSharers(
  db: Db,
  { like, blockId, count }: { readonly like: string; readonly blockId: string; readonly count: number },
): Promise<void> {
  const ids = Array.from({ length: count }, () => `agent-${randomUUID()}`);
  await sql`
    insert into agents (id, name, agent_type, system, model, embedding, model_settings, tool_rules, timezone)
    select added.id, 'Sharer', agent_type, system, model, embedding, model_settings, tool_rules, timezone
    from unnest(${ids}::text[]) as added (id), agents where agents.id = ${like}`.execute(db);
  await sql`
    insert into threads (id, agent_id, is_default)
    select id, id, true from unnest(${ids}::text[]) as added (id)`.execute(db);
  await sql`
    insert into agent_blocks (agent_id, block_id, label, position)
    select id, ${blockId}, 'plan', 0 from unnest(${ids}::text[]) as added (id)`.execute(db);
  await sql`
    insert into seen_revisions (thread_id, block_id, revision)
    select id, ${blockId}, 1 from unnest(${ids}::text[]) as added (id)`.execute(db);
  await sql`analyze agent_blocks, seen_revisions, agents, threads`.execute(db);
}
