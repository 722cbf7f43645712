import { sql } from 'kysely';
import type { Block } from '../../core/blocks/blocks.js';
import { codePoints } from '../../core/blocks/operations.js';
import { derivedId } from '../../core/ids.js';
import {
  type ActionsOutcome,
  type MemoryAction,
  readMemoryCommand,
  readMemoryPatch,
} from '../../core/tools/memory-actions.js';
import { attachBlock, detachBlock, listAgentBlocks } from '../../schema/blocks/agent-blocks.js';
import { lockBlocksForEdits } from '../../schema/blocks/edits.js';
import { LabelTakenError } from '../../schema/blocks/errors.js';
import { createBlock, updateBlockFields } from '../../schema/blocks/blocks.js';
import type { Tx } from '../../schema/db/database.js';
import { markSeen } from '../../schema/threads/epochs.js';
import type { Effect } from '../../schema/turns/records.js';
import { refinementOf } from '../../schema/blocks/branches.js';
import { authorOf, type Edit, editBlock, madeInRefinement, noSuchBlock, seen } from './core-memory.js';
import { done, refused, textArgument, type ToolOutcome, type TransactionalTool } from './outcome.js';

/** All edits of core memory as one tool (Letta's `memory`). */
export const memory = acting(({ arguments: args }) => readMemoryCommand(args));

/** Edits blocks by a patch, all or none (Letta's `memory_apply_patch`). */
export const memoryApplyPatch = acting((effect) =>
  readMemoryPatch(textArgument(effect, 'label'), textArgument(effect, 'patch')),
);

/** A tool that reads actions from a call and does all of them or none. */
function acting(read: (effect: Effect) => ActionsOutcome): TransactionalTool {
  return {
    kind: 'transactional',
    async run({ tx, ...edit }) {
      const asked = read(edit.effect);
      if (!asked.ok) return refused(asked.message);
      const [first, ...more] = asked.actions;
      if (first === undefined || more.length > 0) return performAll(tx, edit, asked.actions);
      return perform(tx, edit, first);
    },
  };
}

async function performAll(tx: Tx, edit: Edit, actions: readonly MemoryAction[]): Promise<ToolOutcome> {
  const blocks = await listAgentBlocks(tx, edit.agent.id);
  const touched = blocks.filter(({ label }) => actions.some((action) => action.label === label));
  await lockBlocksForEdits(
    tx,
    authorOf(edit),
    touched.map(({ id }) => id),
  );
  await sql`savepoint actions`.execute(tx);
  const told: string[] = [];
  for (const [index, action] of actions.entries()) {
    // An effect may make several edits, each once.
    const effect = { ...edit.effect, id: `${edit.effect.id}/${index}` };
    const { ok, message } = await perform(tx, { ...edit, effect }, action);
    if (!ok) {
      await sql`rollback to savepoint actions`.execute(tx);
      return refused(`Nothing of the patch was applied, because one part failed: ${message}`);
    }
    told.push(message);
  }
  return done(told.join('\n'));
}

async function perform(tx: Tx, edit: Edit, action: MemoryAction): Promise<ToolOutcome> {
  const blocks = await listAgentBlocks(tx, edit.agent.id);
  const block = blocks.find(({ label }) => label === action.label);
  switch (action.kind) {
    case 'view':
      return action.label === null ? done(listed(blocks)) : view(tx, edit, { blocks, block, action });
    case 'create':
      return create(tx, edit, { block, action });
    case 'edit':
      return editBlock(tx, { ...edit, ...action });
    case 'delete':
    case 'rename':
    case 'describe':
      if (block === undefined) return noSuchBlock(blocks, action.label);
      return change(tx, edit, { block, action });
  }
}

type Action<Kind> = Extract<MemoryAction, { kind: Kind }>;

function listed(blocks: readonly Block[]): string {
  if (blocks.length === 0) return 'You have no memory blocks.';
  return blocks
    .map(({ label, value, limit, description }) =>
      [
        `/memories/${label} (${codePoints(value)} of ${limit} characters)`,
        ...(description === null ? [] : [description]),
      ].join(': '),
    )
    .join('\n');
}

interface Viewed {
  readonly blocks: readonly Block[];
  readonly block: Block | undefined;
  readonly action: Action<'view'>;
}

async function view(tx: Tx, edit: Edit, { blocks, block, action }: Viewed): Promise<ToolOutcome> {
  if (block === undefined) return noSuchBlock(blocks, action.label ?? '');
  // In a refinement, the partner's own branch.
  const [held = block] = await lockBlocksForEdits(tx, authorOf(edit), [block.id]);
  await markSeen(tx, edit.thread.id, [seen(held)]);
  return done(held.value === '' ? `/memories/${held.label} is empty.` : held.value);
}

interface Created {
  readonly block: Block | undefined;
  readonly action: Action<'create'>;
}

async function create(tx: Tx, edit: Edit, { block, action }: Created): Promise<ToolOutcome> {
  const { label, value, description } = action;
  if (block !== undefined) {
    return refused(`You already have a memory block '${label}'. Nothing was changed. Edit that one.`);
  }
  if ((await refinementOf(tx, edit.effect)) !== undefined) return refused(madeInRefinement(label));
  const id = derivedId('block', edit.effect.id);
  const made = await createBlock(tx, { id, label, value, description, author: authorOf(edit) });
  await attachBlock(tx, { agentId: edit.agent.id, blockId: id });
  await markSeen(tx, edit.thread.id, [seen(made)]);
  return done(
    `Memory block \`${label}\` was created, with ${codePoints(value)} of ${made.limit} characters.`,
  );
}

interface Changed {
  readonly block: Block;
  readonly action: Action<'delete' | 'rename' | 'describe'>;
}

/** Changes a block's fields or attachment rather than its value. */
async function change(tx: Tx, edit: Edit, { block, action }: Changed): Promise<ToolOutcome> {
  if (block.readOnly) {
    return refused(`Memory block \`${block.label}\` is read-only. Nothing was changed.`);
  }
  // A refinement edits branches, which may be merged, rejected or dropped. A label or an attachment can't be on a
  // branch.
  if ((await refinementOf(tx, edit.effect)) !== undefined) {
    return refused(
      `While you refine memory you can only edit the text of blocks, so \`${block.label}\` was not changed. Write into its text what should be done with it.`,
    );
  }
  switch (action.kind) {
    case 'delete':
      await detachBlock(tx, edit.agent.id, block.id);
      return done(`Memory block \`${block.label}\` is no longer in your memory.`);
    case 'describe':
      await updateBlockFields(tx, block.id, { description: action.description });
      return done(`Memory block \`${block.label}\` has its new description.`);
    case 'rename':
      return rename(tx, block, action.to);
  }
}

async function rename(tx: Tx, block: Block, to: string): Promise<ToolOutcome> {
  try {
    await updateBlockFields(tx, block.id, { label: to });
    return done(`Memory block \`${block.label}\` is now called \`${to}\`.`);
  } catch (error) {
    // Checked before any write, so the transaction can go on.
    if (!(error instanceof LabelTakenError)) throw error;
    return refused(
      `Nothing was changed: you or an agent that shares \`${block.label}\` already has a memory block '${to}'. Use another label.`,
    );
  }
}
