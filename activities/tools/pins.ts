import { PassageNotFoundError } from '../../schema/archive-errors.js';
import { PinRefusedError } from '../../schema/pin-errors.js';
import { listPins, pinPassage, tellPins, unpinPassage } from '../../schema/pins.js';
import { done, refused, textArgument, type ToolOutcome, type TransactionalTool } from './outcome.js';

/** Pins a passage; its result shows it, so that the context has it from here on. */
export const archivalMemoryPin: TransactionalTool = {
  kind: 'transactional',
  async run({ tx, thread, agent, effect }) {
    const id = textArgument(effect, 'passage_id').trim();
    const pinned = await pinPassage(tx, agent.id, id).catch(told);
    if ('ok' in pinned) return pinned;
    await tellAll(tx, thread.epochId, agent.id);
    return done(`Pinned ${id}. It stays in your context:\n${pinned.text}`);
  },
};

/** Unpins a passage. */
export const archivalMemoryUnpin: TransactionalTool = {
  kind: 'transactional',
  async run({ tx, thread, agent, effect }) {
    const id = textArgument(effect, 'passage_id').trim();
    if (!(await unpinPassage(tx, agent.id, id))) return refused(`${id} is not pinned.`);
    await tellAll(tx, thread.epochId, agent.id);
    return done(`Unpinned ${id}. It is still in your archival memory.`);
  },
};

type Tx = Parameters<TransactionalTool['run']>[0]['tx'];

/** What the agent did itself stands in the result: no notice need follow. */
async function tellAll(tx: Tx, epochId: string | null, agentId: string): Promise<void> {
  const pins = await listPins(tx, agentId);
  await tellPins(
    tx,
    epochId,
    pins.map((pin) => pin.id),
  );
}

function told(error: unknown): ToolOutcome {
  if (error instanceof PinRefusedError) return refused(error.message);
  if (error instanceof PassageNotFoundError) {
    return refused('You have no such passage. Search your archival memory: each result shows its id.');
  }
  throw error;
}
