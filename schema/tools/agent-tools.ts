import { sql } from 'kysely';
import { builtinOf } from '../../core/tools/tools.js';
import { requireAgent } from '../agents/agents.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { ToolNotFoundError } from './errors.js';
import { requireTool, type Tool, toTool } from './tools.js';

/** The agent's tools in the order of attachment; empty for an unknown agent. */
export async function listAgentTools(db: Db | Tx, agentId: string): Promise<readonly Tool[]> {
  return (await toolsOfAgents(db, [agentId])).map(({ tool }) => tool);
}

/** The tools of several agents in one query, each agent's in the order of attachment. */
export async function toolsOfAgents(
  db: Db | Tx,
  agentIds: readonly string[],
): Promise<readonly { readonly agentId: string; readonly tool: Tool }[]> {
  const rows = await db
    .selectFrom('agent_tools')
    .innerJoin('tools', 'tools.id', 'agent_tools.tool_id')
    .innerJoin('agents', 'agents.id', 'agent_tools.agent_id')
    .selectAll('tools')
    .select('agent_tools.agent_id')
    .where('agents.deleted_at', 'is', null)
    .where('agent_tools.agent_id', '=', sql<string>`any(${[...agentIds]})`)
    .orderBy('agent_tools.agent_id')
    .orderBy('agent_tools.position')
    .orderBy('tools.name')
    .execute();
  return rows.map((row) => ({ agentId: row.agent_id, tool: toTool(row) }));
}

/**
 * Attaches a tool as the agent's last one. An attached one stays unchanged. Throws AgentNotFoundError and
 * ToolNotFoundError.
 */
export async function attachTool(db: Db | Tx, agentId: string, toolId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await requireAgent(tx, agentId);
    await requireTool(tx, toolId);
    await attachTools(tx, agentId, [toolId]);
  });
}

/**
 * Attaches existing tools in this order after the agent's others. A tool replaces another one with its name. A tool
 * that requires approval by default also adds a rule, which can be removed.
 */
export async function attachTools(tx: Tx, agentId: string, toolIds: readonly string[]): Promise<void> {
  await holdNames(tx, agentId, toolIds);
  await sql`
    delete from agent_tools using tools had, tools given
    where agent_tools.agent_id = ${agentId} and agent_tools.tool_id = had.id and had.name = given.name
      and given.id = any(${[...toolIds]}) and had.id <> all(${[...toolIds]})`.execute(tx);
  const { rows } = await sql<{ id: string }>`
    insert into agent_tools (agent_id, tool_id, position)
    select ${agentId}, wanted.id, wanted.place +
      (select coalesce(max(position), -1) from agent_tools where agent_id = ${agentId})
    from unnest(${[...toolIds]}::text[]) with ordinality as wanted (id, place)
    on conflict do nothing
    returning tool_id as id`.execute(tx);
  await askForApprovals(
    tx,
    agentId,
    rows.map(({ id }) => id),
  );
}

/**
 * Locks the names of the agent's tools and of those to attach until the transaction ends, against renaming and
 * against other attachments. An agent thus never has two tools of one name.
 */
async function holdNames(tx: Tx, agentId: string, toolIds: readonly string[]): Promise<void> {
  await sql`select from agents where id = ${agentId} for no key update`.execute(tx);
  // The runtime's tools are never renamed, and every new agent shares their rows, so these are not locked.
  await sql`
    select from tools where tool_type = 'custom'
      and (id = any(${[...toolIds]}) or id in (select tool_id from agent_tools where agent_id = ${agentId}))
    order by id for share`.execute(tx);
}

/** Replaces the agent's tools, in this order. Rules about approvals of tools that stay are kept. */
export async function replaceTools(tx: Tx, agentId: string, toolIds: readonly string[]): Promise<void> {
  const wanted = await resolveTools(tx, { ids: toolIds });
  await tx
    .deleteFrom('agent_tools')
    .where('agent_id', '=', agentId)
    .where('tool_id', '<>', sql<string>`all(${[...wanted]})`)
    .execute();
  await attachTools(tx, agentId, wanted);
  await sql`
    update agent_tools set position = wanted.place - 1
    from unnest(${[...wanted]}::text[]) with ordinality as wanted (id, place)
    where agent_tools.agent_id = ${agentId} and agent_tools.tool_id = wanted.id`.execute(tx);
}

/** Adds a rule for each of these tools that requires approval by default, where the agent has none. */
async function askForApprovals(tx: Tx, agentId: string, toolIds: readonly string[]): Promise<void> {
  if (toolIds.length === 0) return;
  await sql`
    with asking as (
      select jsonb_agg(jsonb_build_object('kind', 'requires_approval', 'tool', tools.name) order by tools.name) as rules
      from tools, agents
      where agents.id = ${agentId} and tools.id = any(${[...toolIds]})
        and tools.extras->'default_requires_approval' = 'true'
        and not agents.tool_rules @>
          jsonb_build_array(jsonb_build_object('kind', 'requires_approval', 'tool', tools.name))
    )
    update agents set tool_rules = agents.tool_rules || asking.rules
    from asking where agents.id = ${agentId} and asking.rules is not null`.execute(tx);
}

/** Detaches a tool. Harmless where it isn't attached. */
export async function detachTool(db: Db | Tx, agentId: string, toolId: string): Promise<void> {
  await db.deleteFrom('agent_tools').where('agent_id', '=', agentId).where('tool_id', '=', toolId).execute();
}

/**
 * Ids of tools given by id or name, without repetitions. A name means the runtime's tool, if there is one; a user's
 * own tool with that name, given by its id, replaces it. Throws ToolNotFoundError, which lists all unknown ones.
 */
export async function resolveTools(
  db: Db | Tx,
  wanted: { readonly ids?: readonly string[] | undefined; readonly names?: readonly string[] | undefined },
): Promise<readonly string[]> {
  const { ids = [], names = [] } = wanted;
  if (ids.length + names.length === 0) return [];
  const rows = await db
    .selectFrom('tools')
    .select(['id', 'name', 'tool_type as toolType'])
    .where(sql<boolean>`id = any(${[...ids]}::text[]) or name = any(${[...names]}::text[])`)
    .execute();
  const known = new Map(rows.map((row) => [row.id, row]));
  const [own, builtin] = [rows.filter((row) => !isBuiltin(row)), rows.filter(isBuiltin)];
  // Later entries win.
  const byName = new Map([...own, ...builtin].map((row) => [row.name, row.id]));
  const missing = [...ids.filter((id) => !known.has(id)), ...names.filter((name) => !byName.has(name))];
  if (missing.length > 0) throw new ToolNotFoundError([...new Set(missing)]);
  const all = [...new Set([...names.map((name) => byName.get(name) ?? name), ...ids])];
  const overridden = new Set(own.flatMap(({ id, name }) => (all.includes(id) ? [name] : [])));
  return all.filter((id) => {
    const row = known.get(id);
    return row === undefined || !isBuiltin(row) || !overridden.has(row.name);
  });
}

function isBuiltin(tool: { readonly name: string; readonly toolType: string }): boolean {
  return builtinOf(tool) !== undefined;
}
