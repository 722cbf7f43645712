import { z } from 'zod';
import type { BlamedLine } from '../../schema/blocks/blame.js';
import type { BlockRevision } from '../../schema/blocks/revisions.js';
import { int32 } from '../http/fields-wire.js';

/** A revision's number as the API takes it. */
export const revisionNumber = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** An operation on a block's value, applied to the current value. */
export const blockOperationBody = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('append'), content: z.string() }),
    z.object({ kind: z.literal('insert'), content: z.string(), line: int32.min(-1).default(-1) }),
    z.object({
      kind: z.literal('replace'),
      old: z.string(),
      new: z.string(),
      all: z.boolean().default(false),
    }),
    z.object({ kind: z.literal('patch'), patch: z.string() }),
    z.object({ kind: z.literal('rewrite'), value: z.string(), base: revisionNumber }),
    z.object({ kind: z.literal('set'), value: z.string() }),
  ])
  .meta({ id: 'BlockOperation' });

/** A revision as lists show it, without the values that it wrote. */
export const wireRevision = z
  .object({
    block_id: z.string(),
    revision: z.number(),
    operation: z.looseObject({ kind: z.string() }),
    actor: z.enum(['agent', 'user', 'sleep_time', 'tool', 'runtime']),
    agent_id: z.string().nullable(),
    run_id: z.string().nullable(),
    step_id: z.string().nullable(),
    tool_call_id: z.string().nullable(),
    created_at: z.string(),
  })
  .meta({ id: 'BlockRevision' });

/** A revision with the whole value after it. */
export const wireRevisionWithValue = wireRevision
  .extend({ value: z.string() })
  .meta({ id: 'BlockRevisionWithValue' });

/** The difference between two revisions. */
export const wireDifference = z
  .object({ block_id: z.string(), from: z.number(), to: z.number(), difference: z.string() })
  .meta({ id: 'BlockDifference' });

/** A line of a block and the revision that wrote it. */
export const wireBlamedLine = z
  .object({ line: z.number(), text: z.string(), ...wireRevision.omit({ block_id: true }).shape })
  .meta({ id: 'BlamedLine' });

export type WireRevision = z.infer<typeof wireRevision>;

export function toWireRevision(revision: BlockRevision): WireRevision {
  return { block_id: revision.blockId, ...toOrigin(revision) };
}

export function toWireRevisionWithValue(revision: BlockRevision): z.infer<typeof wireRevisionWithValue> {
  return { ...toWireRevision(revision), value: revision.value };
}

export function toWireBlame(lines: readonly BlamedLine[]): z.infer<typeof wireBlamedLine>[] {
  return lines.map(({ text, revision }, index) => ({ line: index + 1, text, ...toOrigin(revision) }));
}

function toOrigin(revision: BlockRevision): Omit<WireRevision, 'block_id'> {
  const { operation } = revision;
  // Whole values stay out of lists: an operation that sets one is shown without it.
  const shown = Object.fromEntries(Object.entries(operation).filter(([name]) => name !== 'value'));
  return {
    revision: revision.revision,
    operation: { ...shown, kind: operation.kind },
    actor: revision.actor,
    agent_id: revision.agentId,
    run_id: revision.turnId,
    step_id: revision.stepId,
    tool_call_id: revision.toolCallId,
    created_at: revision.moment,
  };
}
