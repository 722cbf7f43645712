import type { Command } from 'commander';
import { chat } from '../chat/chat.js';
import { addCommand, type Context } from '../command-context.js';
import { CommandFailure } from '../failure.js';
import { findAgent } from '../find-agent.js';
import type { WireAgent } from '../shapes.js';
import type { Terminal } from '../terminal.js';

/** `perdure chat` */
export function chatCommand(program: Command, terminal: Terminal): void {
  const usage = {
    usage: 'chat [agent]',
    description: 'talk with an agent, and see what it does to its memory',
  };
  addCommand(program, terminal, usage, async (context, wanted: string | undefined) => {
    const agent = wanted === undefined ? await chooseAgent(context) : await findAgent(context, wanted);
    if (agent !== undefined) await chat(context, agent);
  });
}

async function chooseAgent({ rest, terminal }: Context): Promise<WireAgent | undefined> {
  const agents = await rest.get<WireAgent[]>('/v1/agents', { limit: 20 });
  const [first, second] = agents;
  if (first === undefined)
    throw new CommandFailure('notFound', 'There are no agents. perdure agents create <name> makes one.');
  if (second === undefined) return first;
  if (!terminal.isInteractive)
    throw new CommandFailure('usage', 'Say with which agent: perdure chat <agent>.');
  const id = await terminal.choose(
    'With whom?',
    agents.map((agent) => ({ value: agent.id, label: agent.name, hint: agent.model ?? '' })),
  );
  return agents.find((agent) => agent.id === id);
}
