import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { ensurePartner } from '../../../client/sleep-time-partners.js';
import type { Agent } from '../../../core/agents/agents.js';
import type { Group, ManagerConfig } from '../../../core/groups/groups.js';
import { requireAgent } from '../../../schema/agents/agents.js';
import { getAgentBlock } from '../../../schema/blocks/agent-blocks.js';
import type { NewAgent } from '../../../schema/agents/creation.js';
import { updateGroup } from '../../../schema/groups/groups.js';
import { listRefinements, type Refinement } from '../../../schema/refinement/refinements.js';
import type { TestRuntime } from '../runtime/runtime.js';

/** An agent with the partner that refines its memory. */
export interface Pair {
  readonly agent: Agent;
  readonly partner: Agent;
  readonly group: Group;
}

export async function aPair(
  runtime: TestRuntime,
  config: ManagerConfig = {},
  input: Partial<NewAgent> = {},
): Promise<Pair> {
  const agent = await runtime.anAgent(input);
  const made = await ensurePartner(runtime.db, agent);
  const group = await updateGroup(runtime.db, made.id, { managerConfig: { frequency: 1_000, ...config } });
  return { agent, partner: await requireAgent(runtime.db, group.agentIds[0] ?? ''), group };
}

const patienceMs = 90_000;

/** Waits until nothing of the group waits or runs; returns its refinements, oldest first. */
export async function refined(runtime: TestRuntime, { group }: Pair): Promise<readonly Refinement[]> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    // One statement, one moment: a request gives way to its refinement, and a refinement may leave a request.
    const { rows } = await sql<{ busy: boolean }>`
      select exists (select from refinement_requests where group_id = ${group.id} and state = 'waiting')
        or exists (select from refinements where group_id = ${group.id} and state = 'running') as busy`.execute(
      runtime.db,
    );
    if (rows[0]?.busy === false) return listRefinements(runtime.db, { groupId: group.id }, { order: 'asc' });
    if (Date.now() > deadline) throw new Error(`group ${group.id} is still refining`);
    await delay(25);
  }
}

/** The value of the agent's block. */
export async function valueOf(runtime: TestRuntime, agent: Agent, label: string): Promise<string> {
  return (await getAgentBlock(runtime.db, agent.id, label)).value;
}
