import { PassageNotFoundError, PinRefusedError } from '../../schema/archives/errors.js';
import { pinPassage, recordShownPin, unpinPassage } from '../../schema/archives/pins.js';
import { done, refused, textArgument, type ToolOutcome, type TransactionalTool } from './outcome.js';

/** Pins a passage. The result contains it, so the context shows it from now on. */
export const archivalMemoryPin: TransactionalTool = {
  kind: 'transactional',
  async run({ tx, thread, agent, effect }) {
    const id = textArgument(effect, 'passage_id').trim();
    const pinned = await pinPassage(tx, agent.id, id).catch(told);
    if ('ok' in pinned) return pinned;
    await recordShownPin(tx, { epochId: thread.epochId, passageId: id, is: 'pinned' });
    return done(`Pinned ${id}. It stays in your context:\n${pinned.text}`);
  },
};

/** Unpins a passage. */
export const archivalMemoryUnpin: TransactionalTool = {
  kind: 'transactional',
  async run({ tx, thread, agent, effect }) {
    const id = textArgument(effect, 'passage_id').trim();
    if (!(await unpinPassage(tx, agent.id, id))) return refused(`${id} is not pinned.`);
    await recordShownPin(tx, { epochId: thread.epochId, passageId: id, is: 'unpinned' });
    return done(`Unpinned ${id}. It is still in your archival memory.`);
  },
};

function told(error: unknown): ToolOutcome {
  if (error instanceof PinRefusedError) return refused(error.message);
  if (error instanceof PassageNotFoundError) {
    return refused('You have no such passage. Search your archival memory: each result shows its id.');
  }
  throw error;
}
