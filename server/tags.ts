import type { Db } from '../schema/database.js';

/** Which tags to list, by name; cursors are tags. */
export interface TagPage {
  /** A part of the tag, whatever its case. */
  readonly text?: string | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
  readonly order: 'asc' | 'desc';
}

/** The tags of all agents that aren't deleted, each once. */
export async function listTags(db: Db, page: TagPage): Promise<string[]> {
  let query = db
    .selectFrom('agent_tags')
    .innerJoin('agents', 'agents.id', 'agent_tags.agent_id')
    .select('agent_tags.tag')
    .distinct()
    .where('agents.deleted_at', 'is', null);
  if (page.text !== undefined) {
    query = query.where('agent_tags.tag', 'ilike', `%${page.text.replace(/[\\%_]/g, '\\$&')}%`);
  }
  const [later, earlier] = page.order === 'asc' ? (['>', '<'] as const) : (['<', '>'] as const);
  if (page.after !== undefined) query = query.where('agent_tags.tag', later, page.after);
  if (page.before !== undefined) query = query.where('agent_tags.tag', earlier, page.before);
  const rows = await query.orderBy('agent_tags.tag', page.order).limit(page.limit).execute();
  return rows.map((row) => row.tag);
}
