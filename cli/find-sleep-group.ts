import type { Context } from './command-context.js';
import { CommandFailure } from './failure.js';
import { findAgent } from './find-agent.js';
import type { WireAgent } from './shapes.js';

/** An agent and the group of the partner that refines its memory. Throws CommandFailure. */
export async function findSleepGroup(
  { rest }: Pick<Context, 'rest'>,
  wanted: string,
): Promise<{ readonly agent: WireAgent; readonly group: string }> {
  const agent = await findAgent({ rest }, wanted);
  const { managed_group: group } = await rest.get<WireAgent>(`/v1/agents/${agent.id}`, {
    include: 'agent.managed_group',
  });
  if (group != null) return { agent, group: group.id };
  const how = 'perdure agents create --sleeptime makes one that has.';
  throw new CommandFailure('failed', `${agent.name} has no partner that refines its memory. ${how}`);
}
