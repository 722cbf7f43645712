import type { Context } from './command-context.js';
import { CommandFailure } from './failure.js';
import { findAgent } from './find-agent.js';
import type { WireBlock } from './shapes.js';

/** A block by its id, or by its agent and label. Throws CommandFailure. */
export async function findBlock(
  context: Pick<Context, 'rest'>,
  wanted: string,
  label: string | undefined,
): Promise<WireBlock> {
  const blocks = await findBlocks(context, wanted, label);
  const [block] = blocks;
  if (block !== undefined && blocks.length === 1) return block;
  throw new CommandFailure(
    'usage',
    `Which block? ${wanted} has ${blocks.map((one) => one.label).join(', ')}.`,
  );
}

/** As `findBlock`; without a label all blocks of the agent. */
export async function findBlocks(
  { rest }: Pick<Context, 'rest'>,
  wanted: string,
  label: string | undefined,
): Promise<readonly WireBlock[]> {
  if (wanted.startsWith('block-')) return [await rest.get<WireBlock>(`/v1/blocks/${wanted}`)];
  const agent = await findAgent({ rest }, wanted);
  const blocks = await rest.get<WireBlock[]>(`/v1/agents/${agent.id}/core-memory/blocks`, { limit: 1000 });
  const labels = blocks.map((one) => one.label).join(', ');
  if (label === undefined) return blocks;
  const found = blocks.filter((one) => one.label === label);
  if (found.length === 0)
    throw new CommandFailure('notFound', `${agent.name} has no block '${label}'. It has: ${labels}.`);
  return found;
}
