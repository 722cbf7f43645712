import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ToolEnd } from '../../adapters/custom-tools/tool-end.js';
import { freeObject } from '../http/fields-wire.js';
import { sourceToolBody } from './tool-requests-wire.js';

/** A run of a tool from its source, with the arguments of one call. */
export const runSourceBody = sourceToolBody
  .extend({
    args: freeObject,
    env_vars: z.record(z.string(), z.string()).nullish(),
    name: z.string().nullish(),
  })
  .meta({ id: 'ToolRunFromSource' });

export const runAgentToolBody = z.object({ args: freeObject.default({}) }).meta({ id: 'ToolExecuteRequest' });

const status = z.enum(['success', 'error']);

const runReturn = {
  status,
  tool_return: z.string(),
  tool_call_id: z.string(),
  stdout: z.array(z.string()),
  stderr: z.array(z.string()),
};

/** The result of a run from source, in the form of the message that an agent would get. */
export const wireSourceRun = z.object({
  id: z.string(),
  date: z.string(),
  message_type: z.literal('tool_return_message'),
  name: z.string(),
  ...runReturn,
  tool_returns: z.array(z.object({ type: z.literal('tool'), ...runReturn })),
});

/** The result of a run of an agent's tool. */
export const wireToolRun = z
  .object({
    status,
    func_return: z.string().nullable(),
    agent_state: z.null(),
    stdout: z.array(z.string()),
    stderr: z.array(z.string()),
    sandbox_config_fingerprint: z.null(),
  })
  .meta({ id: 'ToolExecutionResult' });

export function toWireSourceRun(name: string, end: ToolEnd): z.infer<typeof wireSourceRun> {
  const shown = {
    status: statusOf(end),
    tool_return: end.message,
    tool_call_id: `call_${randomUUID()}`,
    stdout: [...end.stdout],
    stderr: [...end.stderr],
  };
  return {
    id: `message-${randomUUID()}`,
    date: new Date().toISOString(),
    message_type: 'tool_return_message',
    name,
    ...shown,
    tool_returns: [{ type: 'tool', ...shown }],
  };
}

export function toWireToolRun(end: ToolEnd): z.infer<typeof wireToolRun> {
  return {
    status: statusOf(end),
    func_return: end.ok || end.message !== '' ? end.message : null,
    agent_state: null,
    stdout: [...end.stdout],
    stderr: [...end.stderr],
    sandbox_config_fingerprint: null,
  };
}

function statusOf({ ok }: ToolEnd): 'success' | 'error' {
  return ok ? 'success' : 'error';
}
