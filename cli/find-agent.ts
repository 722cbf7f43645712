import { CommandFailure } from './failure.js';
import type { Context } from './command-context.js';
import type { WireAgent } from './shapes.js';

/** The agent of an id, the beginning of one, or a name. Throws CommandFailure where there is none, or several. */
export async function findAgent({ rest }: Pick<Context, 'rest'>, wanted: string): Promise<WireAgent> {
  if (/^agent-[\da-f]{8}-[\da-f-]{27}$/.test(wanted)) return rest.get(`/v1/agents/${wanted}`);
  const named = await rest.get<WireAgent[]>('/v1/agents', { name: wanted, limit: 2 });
  const [agent, second] = named.length > 0 ? named : await startingWith({ rest }, wanted);
  if (agent === undefined) {
    throw new CommandFailure('notFound', `There is no agent '${wanted}'. perdure agents list shows all.`);
  }
  if (second !== undefined) {
    throw new CommandFailure('usage', `Several agents are called '${wanted}'. Give the id of one of them.`);
  }
  return agent;
}

async function startingWith({ rest }: Pick<Context, 'rest'>, wanted: string): Promise<WireAgent[]> {
  if (!/^(agent-)?[\da-f]{4,}[\da-f-]*$/.test(wanted)) return [];
  const start = wanted.startsWith('agent-') ? wanted : `agent-${wanted}`;
  const all = await rest.get<WireAgent[]>('/v1/agents', { limit: 1000 });
  return all.filter(({ id }) => id.startsWith(start));
}
