import { codePoints } from '../../core/blocks/operations.js';
import type { Block, BlockOperation } from '../../core/blocks/blocks.js';
import { memoryEdits } from '../../core/tools/memory-edits.js';
import { attachBlock, listAgentBlocks } from '../../schema/blocks/agent-blocks.js';
import { changeBlock } from '../../schema/blocks/changes.js';
import { createBlock } from '../../schema/blocks/blocks.js';
import type { Tx } from '../../schema/db/database.js';
import { findSeenBlock, listSeenRevisions, markSeen } from '../../schema/threads/epochs.js';
import type { ToolAgent } from '../../schema/turns/effects.js';
import type { Effect } from '../../schema/turns/records.js';
import { refinementOf } from '../../schema/blocks/branches.js';
import type { Thread } from '../../schema/threads/threads.js';
import { done, refused, textArgument, type ToolOutcome, type TransactionalTool } from './outcome.js';

/** Up to this many characters, a result shows the block's new value. */
export const shownCharacters = 1_000;

/** Added where a result can't show the value and the agent did not know the previous one. */
const toldNext = 'Others changed it too. A notice will show all changes since you last saw it.';

/** A tool that changes one block by an operation built from its arguments. */
function editing(name: keyof typeof memoryEdits): TransactionalTool {
  return {
    kind: 'transactional',
    run: ({ tx, thread, agent, effect }) => {
      const label = textArgument(effect, 'label');
      const operation = memoryEdits[name](effect.arguments);
      return editBlock(tx, { thread, agent, effect, label, operation });
    },
  };
}

export const coreMemoryAppend = editing('core_memory_append');
export const coreMemoryReplace = editing('core_memory_replace');
export const memoryReplace = editing('memory_replace');
export const memoryInsert = editing('memory_insert');

/**
 * Rewrites a block on the basis of the revision that the agent saw, or creates one with this label, as Letta does.
 */
export const memoryRethink: TransactionalTool = {
  kind: 'transactional',
  async run({ tx, thread, agent, effect }) {
    const value = textArgument(effect, 'new_memory');
    const [blocks, seenRevisions] = await Promise.all([
      listAgentBlocks(tx, agent.id),
      listSeenRevisions(tx, thread.id),
    ]);
    const label = textArgument(effect, 'label');
    const block = blocks.find((candidate) => candidate.label === label);
    if (block === undefined) return makeBlock(tx, { thread, agent, effect, label, value });
    const base = seenRevisions.get(block.id) ?? 0;
    return editBlock(tx, { thread, agent, effect, label, operation: { kind: 'rewrite', value, base } });
  },
};

/** A call that edits memory, and its agent. */
export interface Edit {
  readonly thread: Thread;
  readonly agent: ToolAgent;
  readonly effect: Effect;
}

/** Changes the agent's block with this label. The result tells the agent of any refusal. */
export async function editBlock(
  tx: Tx,
  input: Edit & { readonly label: string; readonly operation: BlockOperation },
): Promise<ToolOutcome> {
  const { thread, agent, effect, label, operation } = input;
  const [block, refinement = null] = await Promise.all([
    findSeenBlock(tx, thread, label),
    refinementOf(tx, effect),
  ]);
  if (block === undefined) return noSuchBlock(await listAgentBlocks(tx, agent.id), label);
  const { blockId, seenRevision: known } = block;
  const change = { blockId, operation, seenRevision: known, refinement, ...authorOf(input) };
  const outcome = await changeBlock(tx, change);
  if (!outcome.ok) {
    // These refusals show the current value, so the agent has now seen it and may rewrite it.
    const showsValue = outcome.code === 'conflict' || outcome.code === 'not_found';
    if (showsValue) await markSeen(tx, thread.id, [seen(outcome.block)]);
    return refused(outcome.message);
  }
  // The transcript shows the new value only if the result contains it or the agent knew the old one. Else a notice
  // follows.
  const isShown = codePoints(outcome.block.value) <= shownCharacters;
  const isNext = known !== undefined && outcome.block.revision === known + 1;
  if (!isShown && !isNext) return done(`${describe(outcome.block, false)} ${toldNext}`);
  await markSeen(tx, thread.id, [seen(outcome.block)]);
  return done(describe(outcome.block, isShown));
}

async function makeBlock(
  tx: Tx,
  input: Edit & { readonly label: string; readonly value: string },
): Promise<ToolOutcome> {
  const { thread, agent, effect, label, value } = input;
  if ((await refinementOf(tx, effect)) !== undefined) return refused(madeInRefinement(label));
  const id = `block-${effect.id.slice(effect.id.indexOf('-') + 1)}`;
  const block = await createBlock(tx, { id, label, value, author: authorOf(input) });
  await attachBlock(tx, { agentId: agent.id, blockId: block.id });
  await markSeen(tx, thread.id, [seen(block)]);
  return done(`There was no such block, so it was created. ${describe(block, false)}`);
}

/** A refinement edits branches, which may be merged, rejected or dropped. A new block can't be on a branch. */
export function madeInRefinement(label: string): string {
  return `Block \`${label}\` does not exist and can't be created while you refine memory. Write to an existing block.`;
}

export function noSuchBlock(blocks: readonly Block[], label: string): ToolOutcome {
  const labels = blocks.map((block) => block.label).join(', ');
  return refused(
    `You have no memory block with label '${label}'. Your blocks are: ${labels === '' ? 'none' : labels}.`,
  );
}

export function authorOf({ agent, effect }: Edit) {
  return {
    actor: agent.agentType === 'sleeptime_agent' ? ('sleep_time' as const) : ('agent' as const),
    agentId: agent.id,
    turnId: effect.turnId,
    stepId: effect.stepId,
    toolCallId: effect.call.id,
    effectId: effect.id,
  };
}

export function seen(block: Block): { blockId: string; revision: number } {
  return { blockId: block.id, revision: block.revision };
}

export function describe(block: Block, withValue: boolean): string {
  const size = `Memory block \`${block.label}\` was edited: ${codePoints(block.value)} of ${block.limit} characters used.`;
  return withValue && block.value !== '' ? `${size} It reads now:\n${block.value}` : size;
}
