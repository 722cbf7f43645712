import type { Ask } from './connection.js';

/** An agent of a Letta database. */
export interface LettaAgent {
  readonly id: string;
  readonly name: string;
}

/** Agents that share something, and are therefore imported together. */
export type Family = readonly LettaAgent[];

interface Tie {
  readonly agent: string;
  readonly thing: string;
}

const tiesSql = `
  select l.agent_id as agent, l.block_id as thing from blocks_agents l join block b on b.id = l.block_id
    where not b.is_deleted
  union all select l.agent_id, l.archive_id from archives_agents l join archives r on r.id = l.archive_id
    where not r.is_deleted
  union all select l.agent_id, l.source_id from sources_agents l join sources s on s.id = l.source_id
    where not s.is_deleted
  union all select manager_agent_id, id from groups where not is_deleted and manager_agent_id is not null
  union all select member, id from groups, json_array_elements_text(agent_ids) as member where not is_deleted
  union all select g.manager_agent_id, l.block_id from groups_blocks l join groups g on g.id = l.group_id
    where not g.is_deleted and g.manager_agent_id is not null`;

/** All agents of a Letta database by what they share: blocks, archives, sources, groups. The oldest come first. */
export async function readFamilies(ask: Ask): Promise<readonly Family[]> {
  const agents = await ask<LettaAgent>(
    'select id, coalesce(name, id) as name from agents where not is_deleted order by created_at, id',
  );
  return toFamilies(agents, await ask<Tie>(tiesSql));
}

/** Agents by what they share, directly or by others. */
export function toFamilies(agents: readonly LettaAgent[], ties: readonly Tie[]): readonly Family[] {
  const known = new Set(agents.map(({ id }) => id));
  const parents = new Map<string, string>();
  const rootOf = (id: string): string => {
    let root = id;
    for (let above = parents.get(root); above !== undefined; above = parents.get(root)) root = above;
    return root;
  };
  for (const { agent, thing } of ties) {
    if (!known.has(agent)) continue;
    const [one, other] = [rootOf(agent), rootOf(thing)];
    if (one !== other) parents.set(one, other);
  }
  const families = new Map<string, LettaAgent[]>();
  for (const agent of agents) {
    const root = rootOf(agent.id);
    const others = families.get(root);
    if (others === undefined) families.set(root, [agent]);
    else others.push(agent);
  }
  return [...families.values()];
}
