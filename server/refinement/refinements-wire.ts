import { z } from 'zod';
import type { RefineOptions } from '../../client/sleep-time.js';
import { unifiedDiff } from '../../core/blocks/unified-diff.js';
import type { Branch } from '../../schema/blocks/branches.js';
import type { RefinementRequest } from '../../schema/refinement/requests.js';
import { type Refinement, roundTurnId } from '../../schema/refinement/refinements.js';

export const refinementStates = ['running', 'in_review', 'completed', 'rejected', 'failed'] as const;
const causes = ['turns', 'eviction', 'hand', 'schedule'] as const;

/** What to refine: the messages since the last refinement, or documents. */
export const refineBody = z
  .object({
    instructions: z.string().nullish(),
    documents: z
      .array(z.object({ name: z.string().min(1), text: z.string().min(1) }))
      .min(1)
      .nullish(),
    cycles: z.int().min(1).max(100).nullish(),
  })
  .refine((body) => body.cycles == null || body.documents != null, {
    error: 'needs `documents`: messages are read only once',
    path: ['cycles'],
  })
  .meta({ id: 'RefineRequest' });

/** The texts, by block id, that resolve conflicts of a merge. */
export const approveBody = z.object({ values: z.record(z.string(), z.string()).nullish() });

/** A request for a refinement as the API shows it. */
export const wireRefinementRequest = z
  .object({
    id: z.string(),
    group_id: z.string(),
    partner_id: z.string(),
    cause: z.enum(causes),
    state: z.enum(['waiting', 'done', 'failed']),
    parts: z.number().nullable(),
    cycles: z.number(),
    parts_done: z.number(),
    created_at: z.string(),
  })
  .meta({ id: 'RefinementRequest' });

const wireBranch = z.object({
  block_id: z.string(),
  label: z.string(),
  state: z.enum(['open', 'merged', 'dropped']),
  base_revision: z.number(),
  merged_revision: z.number().nullable(),
  value: z.string(),
  diff: z.string(),
  note: z.string().nullable(),
});

/** A refinement as the API shows it, with the difference that its edits make to each block. */
export const wireRefinement = z
  .object({
    id: z.string(),
    group_id: z.string(),
    partner_id: z.string(),
    agent_id: z.string(),
    request_id: z.string(),
    cause: z.enum(causes),
    status: z.enum(refinementStates),
    ended_by: z.enum(['finished', 'steps', 'tokens', 'error']).nullable(),
    error: z.object({ type: z.string(), message: z.string() }).nullable(),
    run_ids: z.array(z.string()),
    ranges: z.array(z.object({ thread_id: z.string(), from: z.number(), to: z.number() })),
    max_steps: z.number(),
    max_tokens: z.number(),
    tokens: z.number(),
    blocks: z.array(wireBranch),
    created_at: z.string(),
    completed_at: z.string().nullable(),
  })
  .meta({ id: 'Refinement' });

export type WireRefinement = z.infer<typeof wireRefinement>;

export function fromRefineBody(body: z.infer<typeof refineBody>): RefineOptions {
  return {
    instructions: body.instructions ?? undefined,
    documents: body.documents ?? undefined,
    cycles: body.cycles ?? undefined,
  };
}

export function toWireRequest(request: RefinementRequest): z.infer<typeof wireRefinementRequest> {
  return {
    id: request.id,
    group_id: request.groupId,
    partner_id: request.partnerId,
    cause: request.cause,
    state: request.state,
    parts: request.parts?.length ?? null,
    cycles: request.cycles,
    parts_done: request.partsDone,
    created_at: request.createdAt.toISOString(),
  };
}

export function toWireRefinement(
  refinement: Refinement,
  branches: readonly Branch[],
  tokens: number,
): WireRefinement {
  return {
    id: refinement.id,
    group_id: refinement.groupId,
    partner_id: refinement.partnerId,
    agent_id: refinement.agentId,
    request_id: refinement.requestId,
    cause: refinement.cause,
    status: refinement.state,
    ended_by: refinement.endedBy,
    error: refinement.error,
    run_ids: Array.from({ length: refinement.round + 1 }, (_, round) => roundTurnId(refinement.id, round)),
    ranges: refinement.ranges.map(({ threadId, from, to }) => ({ thread_id: threadId, from, to })),
    max_steps: refinement.settings.maxSteps,
    max_tokens: refinement.settings.maxTokens,
    tokens,
    blocks: branches.map(toWireBranch),
    created_at: refinement.createdAt.toISOString(),
    completed_at: refinement.completedAt?.toISOString() ?? null,
  };
}

function toWireBranch(branch: Branch): z.infer<typeof wireBranch> {
  return {
    block_id: branch.blockId,
    label: branch.label,
    state: branch.state,
    base_revision: branch.baseRevision,
    merged_revision: branch.mergedRevision,
    value: branch.value,
    diff: unifiedDiff(branch.baseValue, branch.value),
    note: branch.note,
  };
}
