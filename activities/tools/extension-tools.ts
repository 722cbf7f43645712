import { ExtensionFault, type Extensions } from '../../adapters/extensions/extensions.js';
import { codePoints } from '../../core/blocks/operations.js';
import type { Block } from '../../core/blocks/blocks.js';
import type { ToolDescription } from '../../core/extensions/extension.js';
import type { MemoryEdit } from '../../core/extensions/tools.js';
import { listAgentBlocks } from '../../schema/blocks/agent-blocks.js';
import { editBlocks, lockBlocksForEdits } from '../../schema/blocks/edits.js';
import type { Tx } from '../../schema/db/database.js';
import { markSeen } from '../../schema/threads/epochs.js';
import { authorOf, describe, noSuchBlock, shownCharacters } from './core-memory.js';
import { done, refused, type ToolOutcome, type TransactionalTool } from './outcome.js';

type Run = Parameters<TransactionalTool['run']>[0];
type MemoryToolDescription = Extract<ToolDescription, { kind: 'memory' }>;

/** Implementations of extensions' tools, by name. */
export function extensionTools(extensions: Extensions): readonly (readonly [string, TransactionalTool])[] {
  return extensions.all.flatMap(({ tools }) =>
    tools.map((tool) => [tool.name, tool.kind === 'memory' ? editing(extensions, tool) : speaking] as const),
  );
}

/** The words are in its call, which the transcript already holds. */
const speaking: TransactionalTool = {
  kind: 'transactional',
  run: () => Promise.resolve(done('Sent message successfully.')),
};

/** Locks the sections, lets the extension compute their edits, and applies all or none. */
function editing(extensions: Extensions, tool: MemoryToolDescription): TransactionalTool {
  return {
    kind: 'transactional',
    async run(run) {
      const { tx, agent, effect } = run;
      const blocks = await listAgentBlocks(tx, agent.id);
      const wanted = blocks.filter(({ label }) => tool.sections.includes(label));
      const missing = tool.sections.find((label) => !wanted.some((block) => block.label === label));
      if (missing !== undefined) return noSuchBlock(blocks, missing);
      const ids = wanted.map(({ id }) => id);
      const held = await lockBlocksForEdits(tx, authorOf(run), ids);
      try {
        const sections = Object.fromEntries(held.map((block) => [block.label, block.value]));
        const edit = await extensions.edit({ tool: tool.name, args: effect.arguments, sections });
        return await apply(run, held, edit);
      } catch (error) {
        if (!(error instanceof ExtensionFault)) throw error;
        return refused(`${tool.name} failed: ${error.message} Nothing was written.`);
      }
    },
  };
}

async function apply(run: Run, held: readonly Block[], edit: MemoryEdit): Promise<ToolOutcome> {
  const stray = edit.edits.find(({ section }) => !held.some(({ label }) => label === section));
  if (stray !== undefined) {
    return refused(
      `${run.effect.call.name} tried to edit '${stray.section}', which is not one of its sections. Nothing was written.`,
    );
  }
  const edits = edit.edits.map(({ section, ...operation }) => ({
    blockId: held.find(({ label }) => label === section)?.id ?? '',
    operation,
  }));
  const outcome = await editBlocks(run.tx, { held, edits, author: authorOf(run) });
  if (!outcome.ok) return refused(outcome.message);
  const changed = outcome.blocks.filter(({ id }) => edits.some(({ blockId }) => blockId === id));
  return done(
    [...(edit.result === undefined ? [] : [edit.result]), ...(await tell(run, changed))].join('\n'),
  );
}

/**
 * Describes the edited blocks. The agent can't know what the extension did, so a notice follows where a value is too
 * long to show.
 */
async function tell(
  { tx, thread }: { tx: Tx; thread: Run['thread'] },
  changed: readonly Block[],
): Promise<string[]> {
  const shown = changed.filter(({ value }) => codePoints(value) <= shownCharacters);
  await markSeen(
    tx,
    thread.id,
    shown.map(({ id, revision }) => ({ blockId: id, revision })),
  );
  return changed.map((block) => describe(block, shown.includes(block)));
}
