import { sql } from 'kysely';
import type { ActivityTarget } from '../../core/tools/activity-tools.js';
import type { Db, Tx } from '../db/database.js';
import type { Tool } from './tools.js';

/** The activity that the tool calls; undefined for other kinds of tools. */
export function activityOf({
  sourceType,
  extras,
}: Pick<Tool, 'sourceType' | 'extras'>): ActivityTarget | undefined {
  if (sourceType !== 'temporal') return undefined;
  // Only functions for custom tools write this field.
  return extras['activity'] as ActivityTarget;
}

/** The activity that the agent's tool of this name calls; undefined where it calls none. */
export async function findActivityTarget(
  db: Db | Tx,
  agentId: string,
  toolName: string,
): Promise<ActivityTarget | undefined> {
  const { rows } = await sql<{ target: ActivityTarget }>`
    select tools.extras->'activity' as target
    from tools join agent_tools on agent_tools.tool_id = tools.id
    where tools.name = ${toolName} and agent_tools.agent_id = ${agentId} and tools.source_type = 'temporal'`.execute(
    db,
  );
  return rows[0]?.target;
}
