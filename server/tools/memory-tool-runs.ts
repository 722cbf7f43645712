import type { ToolEnd } from '../../adapters/custom-tools/tool-end.js';
import { memoryEdits } from '../../core/tools/memory-edits.js';
import type { ToolSchema } from '../../core/models/model.js';
import { builtinOf, canonicalArguments } from '../../core/tools/tools.js';
import { listAgentBlocks } from '../../schema/blocks/agent-blocks.js';
import { changeBlock } from '../../schema/blocks/changes.js';
import { type Db, inTransaction } from '../../schema/db/database.js';
import type { Tool } from '../../schema/tools/tools.js';

type Args = Readonly<Record<string, unknown>>;

/**
 * Runs a base tool that edits one of an agent's blocks, outside of a turn. Agents learn of the change as of any change
 * from outside. Undefined for any other tool.
 */
export async function runMemoryTool(
  db: Db,
  { agentId, tool, args }: { readonly agentId: string; readonly tool: Tool; readonly args: Args },
): Promise<ToolEnd | undefined> {
  const builtin = builtinOf(tool);
  const toOperation = Object.entries(memoryEdits).find(([name]) => name === builtin?.name)?.[1];
  if (builtin === undefined || toOperation === undefined) return undefined;
  const given = canonicalArguments(builtin, args);
  const fault = faultOf(builtin, given);
  if (fault !== undefined) return failed(fault);
  return inTransaction(db, async (tx) => {
    const blocks = await listAgentBlocks(tx, agentId);
    const block = blocks.find(({ label }) => label === given['label']);
    if (block === undefined) {
      const labels = blocks.map(({ label }) => label).join(', ');
      return failed(
        `The agent has no memory block '${String(given['label'])}'; its blocks are: ${labels || 'none'}.`,
      );
    }
    const outcome = await changeBlock(tx, {
      blockId: block.id,
      operation: toOperation(given),
      // As the agent: a block that is read-only for the agent is read-only for this run too.
      actor: 'agent',
      agentId,
    });
    return outcome.ok ? ended(outcome.block.value) : failed(outcome.message);
  });
}

/** Why the arguments don't fit the tool; undefined where they do. */
function faultOf({ name, parameters }: ToolSchema, args: Args): string | undefined {
  const known = Object.keys(parameters.properties);
  const missing = (parameters.required ?? []).filter((required) => args[required] === undefined);
  const unknown = Object.keys(args).filter((one) => !known.includes(one));
  const wrong = known.filter(
    (one) => args[one] !== undefined && !fits(parameters.properties[one], args[one]),
  );
  const faults = [
    ...missing.map((one) => `${one} is missing`),
    ...unknown.map((one) => `${one} is unknown`),
    ...wrong.map((one) => `${one} has the wrong type`),
  ];
  return faults.length === 0 ? undefined : `${name} was not run: ${faults.join('; ')}.`;
}

function fits(schema: Readonly<Record<string, unknown>> | undefined, value: unknown): boolean {
  return schema?.['type'] === 'string' ? typeof value === 'string' : typeof value === 'number';
}

function ended(message: string): ToolEnd {
  return { ok: true, message, stdout: [], stderr: [], blocks: {} };
}

/** A failure in Letta's form for its own tools: nothing returned, the reason on stderr. */
function failed(why: string): ToolEnd {
  return { ok: false, message: '', stdout: [], stderr: [why], blocks: {} };
}
