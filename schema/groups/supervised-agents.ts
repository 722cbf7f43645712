import { sql } from 'kysely';
import type { Agent } from '../../core/agents/agents.js';
import type { Db } from '../db/database.js';
import type { Effect } from '../turns/records.js';

/**
 * Ids of the agents that a supervisor's tool call asks: those of the group when the talk began. Outside of talks,
 * those of every group that the agent supervises.
 */
export async function supervisedAgents(
  db: Db,
  { agent, effect }: { readonly agent: Pick<Agent, 'id'>; readonly effect: Pick<Effect, 'turnId'> },
): Promise<readonly string[]> {
  const result = await sql<{ id: string }>`
    with talked as (
      select p.id, p.place from talk_turns tt join talks k on k.id = tt.talk_id
      cross join lateral (
        select participant->>'agentId' as id, place
        from jsonb_array_elements(k.plan->'participants') with ordinality as listed (participant, place)
      ) p
      where tt.turn_id = ${effect.turnId}
    ), led as (
      select ga.agent_id as id, min(ga.position) as place from groups g join group_agents ga on ga.group_id = g.id
      where g.manager_agent_id = ${agent.id} and g.manager_type = 'supervisor'
        and not exists (select from talked)
      group by ga.agent_id
    )
    select id from (select id, place from talked union all select id, place from led) asked
    where id <> ${agent.id} order by place, id`.execute(db);
  return result.rows.map(({ id }) => id);
}
