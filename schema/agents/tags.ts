import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';
import { containing } from '../db/storable.js';

/** A page of tags, sorted by name. Cursors are tags. */
export interface TagPage {
  /** A part of the tag, case-insensitive. */
  readonly text?: string | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
  readonly order: 'asc' | 'desc';
}

/** The tags of blocks and of agents that aren't deleted, without repetitions. */
export async function listTags(db: Db | Tx, page: TagPage): Promise<string[]> {
  const ofAgents = db
    .selectFrom('agent_tags')
    .innerJoin('agents', 'agents.id', 'agent_tags.agent_id')
    .select('agent_tags.tag')
    .where('agents.deleted_at', 'is', null);
  const ofBlocks = db
    .selectFrom('blocks')
    .select(sql<string>`unnest(blocks.tags)`.as('tag'))
    .where('tags', '<>', sql<string[]>`'{}'`);
  let query = db.selectFrom(ofAgents.union(ofBlocks).as('used')).select('tag');
  if (page.text !== undefined) query = query.where('tag', 'ilike', containing(page.text));
  const [later, earlier] = page.order === 'asc' ? (['>', '<'] as const) : (['<', '>'] as const);
  if (page.after !== undefined) query = query.where('tag', later, page.after);
  if (page.before !== undefined) query = query.where('tag', earlier, page.before);
  const rows = await query.orderBy('tag', page.order).limit(page.limit).execute();
  return rows.map((row) => row.tag);
}
