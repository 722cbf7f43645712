import { z } from 'zod';
import type { ApprovalAnswer, ApprovalDecision } from '../../core/turns/approvals.js';
import { sizeFault } from '../../core/tools/schema-bounds.js';
import { content, fromWireReturn, toWireReturn } from './content-wire.js';

const callId = z.string().min(1);

const decisionBody = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('approval'),
    tool_call_id: callId,
    approve: z.boolean(),
    reason: z.string().nullish(),
  }),
  z.object({
    type: z.literal('tool'),
    tool_call_id: callId,
    tool_return: content,
    status: z.enum(['success', 'error']).default('success'),
    stdout: z.array(z.string()).nullish(),
    stderr: z.array(z.string()).nullish(),
  }),
]);

/** Decisions about waiting tool calls: about single calls in `approvals`, or about all of them in the fields of older clients. */
export const approvalBody = z
  .object({
    type: z.literal('approval'),
    approvals: z.array(decisionBody).nullish(),
    approve: z.boolean().nullish(),
    approval_request_id: z.string().nullish(),
    reason: z.string().nullish(),
    otid: z.string().nullish(),
    group_id: z.string().nullish(),
  })
  .refine((body) => (body.approvals?.length ?? 0) > 0 || body.approve != null, {
    error: 'give `approvals`, each with a `tool_call_id`, or `approve` for all calls that wait',
    path: ['approvals'],
  })
  .meta({ id: 'ApprovalCreate' });

/** Results of tools that the client ran itself. */
export const toolReturnBody = z
  .object({
    type: z.literal('tool_return'),
    tool_returns: z.array(decisionBody).min(1),
    otid: z.string().nullish(),
    group_id: z.string().nullish(),
  })
  .meta({ id: 'ToolReturnCreate' });

/** A tool that the client runs itself. */
export const clientToolBody = z.object({
  name: z.string().min(1),
  description: z.string().nullish(),
  parameters: z
    .looseObject({
      type: z.literal('object').default('object'),
      properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
      required: z.array(z.string()).optional(),
    })
    .superRefine((schema, context) => {
      const fault = sizeFault(schema);
      if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
    })
    .nullish(),
});

/** A skill of the client: the prompt names it, and the agent reads it with one of the client's tools. */
export const clientSkillBody = z.object({
  name: z.string().min(1),
  description: z.string(),
  location: z.string(),
});

/** The decisions in one message of a request. */
export function fromApprovalBody(
  body: z.infer<typeof approvalBody> | z.infer<typeof toolReturnBody>,
): readonly ApprovalAnswer[] {
  if (body.type === 'tool_return') return body.tool_returns.map(fromDecision);
  if (body.approvals != null && body.approvals.length > 0) return body.approvals.map(fromDecision);
  return [{ kind: 'all', approve: body.approve === true, reason: body.reason ?? null }];
}

function fromDecision(body: z.infer<typeof decisionBody>): ApprovalDecision {
  const toolCallId = body.tool_call_id;
  if (body.type === 'approval') {
    return { kind: body.approve ? 'approved' : 'denied', toolCallId, reason: body.reason ?? null };
  }
  const { tool_return: returned, status, stdout, stderr } = body;
  return {
    kind: 'returned',
    toolCallId,
    status,
    ...fromWireReturn(returned),
    ...(stdout == null ? {} : { stdout }),
    ...(stderr == null ? {} : { stderr }),
  };
}

const outputs = { stdout: z.array(z.string()).nullable(), stderr: z.array(z.string()).nullable() };

/** A decision as lists of messages show it. */
export const wireDecision = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('approval'),
    tool_call_id: z.string(),
    approve: z.boolean(),
    reason: z.string().nullable(),
  }),
  z.object({
    type: z.literal('tool'),
    tool_call_id: z.string(),
    tool_return: content,
    status: z.enum(['success', 'error']),
    ...outputs,
  }),
]);

export function toWireDecision(decision: ApprovalDecision): z.infer<typeof wireDecision> {
  const { toolCallId } = decision;
  if (decision.kind !== 'returned') {
    const { kind, reason } = decision;
    return { type: 'approval', tool_call_id: toolCallId, approve: kind === 'approved', reason };
  }
  return {
    type: 'tool',
    tool_call_id: toolCallId,
    tool_return: toWireReturn(decision),
    status: decision.status,
    stdout: decision.stdout === undefined ? null : [...decision.stdout],
    stderr: decision.stderr === undefined ? null : [...decision.stderr],
  };
}
