import { sql } from 'kysely';
import type { Db } from '../db/database.js';

/**
 * Those of these ids that a tool of this agent may not write to. It may write to what belongs to the agent, to agents
 * that it manages (in groups that it leads, created by its tools, and theirs in turn), or to no agent. A shared thing
 * belongs to each of its agents.
 */
export async function notWritable(
  db: Db,
  { agentId, ids }: { readonly agentId: string; readonly ids: readonly string[] },
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const wanted = sql`any(${[...ids]})`;
  const { rows } = await sql<{ id: string }>`
    with recursive managed (id) as (
      select ${agentId}::text
      union
      select found.id from managed cross join lateral (
        select member.agent_id as id from groups join group_agents member on member.group_id = groups.id
        where groups.manager_agent_id = managed.id
        union all
        select agents.id from agents where agents.made_by = managed.id
      ) found
    ), owned (id, owner) as (
      select id, id from agents where id = ${wanted}
      union all select id, agent_id from threads where id = ${wanted}
      union all select id, agent_id from turns where id = ${wanted}
      union all select id, agent_id from steps where id = ${wanted}
      union all select id, agent_id from messages where id = ${wanted}
      union all select id, agent_id from schedules where id = ${wanted}
      union all select group_id, agent_id from group_agents where group_id = ${wanted}
      union all select id, manager_agent_id from groups where id = ${wanted} and manager_agent_id is not null
      union all select block_id, agent_id from agent_blocks where block_id = ${wanted}
      union all select identity_id, agent_id from agent_identities where identity_id = ${wanted}
      union all select archive_id, agent_id from agent_archives where archive_id = ${wanted}
      union all select passages.id, agent_id from passages join agent_archives using (archive_id)
        where passages.id = ${wanted}
      union all select source_id, agent_id from agent_sources where source_id = ${wanted}
      union all select files.id, agent_id from files join agent_sources using (source_id) where files.id = ${wanted}
      union all select jobs.id, agent_id from jobs join agent_sources using (source_id) where jobs.id = ${wanted}
    )
    select id from owned group by id
    having not case when id ~ '^(block|identity|archive|passage|source|file|job)-'
      then bool_or(owner in (select id from managed)) else bool_and(owner in (select id from managed)) end`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}
