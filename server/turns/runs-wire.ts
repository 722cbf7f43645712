import { z } from 'zod';
import { sendMessage } from '../../core/tools/messaging.js';
import { stopReasons, type StopReason } from '../../core/turns/stop-reasons.js';
import type { Turn } from '../../schema/turns/records.js';
import type { TurnCallback } from '../../schema/turns/callbacks.js';

const runStatuses = ['created', 'running', 'completed', 'failed', 'cancelled'] as const;

/** A run: the API's name for a turn. */
export const wireRun = z
  .object({
    id: z.string(),
    status: z.enum(runStatuses),
    created_at: z.string(),
    completed_at: z.string().nullable(),
    agent_id: z.string(),
    conversation_id: z.string().nullable(),
    base_template_id: z.string().nullable(),
    background: z.boolean().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    request_config: z.record(z.string(), z.unknown()),
    stop_reason: z.enum(stopReasons).nullable(),
    callback_url: z.string().nullable(),
    callback_sent_at: z.string().nullable(),
    callback_status_code: z.number().nullable(),
    callback_error: z.string().nullable(),
    ttft_ns: z.number().nullable(),
    total_duration_ns: z.number().nullable(),
    /** US dollars; null: not known. Not Letta's. */
    cost: z.number().nullable(),
  })
  .meta({ id: 'Run' });

export type WireRun = z.infer<typeof wireRun>;

/** A query's list of run statuses. */
export const runStatus = z.enum(runStatuses);

/** The defaults of the fields about how a run is shown. */
const usualRequest = {
  use_assistant_message: true,
  assistant_message_tool_name: sendMessage.name,
  assistant_message_tool_kwarg: 'message',
  include_return_message_types: null,
};

/** A turn as a run. A failure's reason is in `metadata.error`, where Letta puts it. */
export function toWireRun(turn: Turn, callback: TurnCallback | undefined, cost: number | undefined): WireRun {
  return {
    id: turn.id,
    status: turn.state,
    created_at: turn.createdAt.toISOString(),
    completed_at: turn.completedAt?.toISOString() ?? null,
    agent_id: turn.agentId,
    conversation_id: turn.threadId === turn.agentId ? null : turn.threadId,
    base_template_id: null,
    background: turn.options.background ?? false,
    metadata: turn.error === null ? {} : { error: { type: turn.error.type, message: turn.error.message } },
    request_config: { ...usualRequest, ...turn.options.wire },
    stop_reason: turn.stopReason,
    callback_url: turn.options.callbackUrl ?? null,
    callback_sent_at: callback?.sentAt?.toISOString() ?? null,
    callback_status_code: callback?.statusCode ?? null,
    callback_error: callback?.error ?? null,
    ttft_ns: turn.firstTokenMs === null ? null : turn.firstTokenMs * 1e6,
    total_duration_ns: durationNs(turn),
    cost: cost ?? null,
  };
}

/** The stop reason of a turn that has ended; a missing one counts as an error. */
export function finalStopReason(turn: Turn): StopReason {
  return turn.stopReason ?? (turn.state === 'cancelled' ? 'cancelled' : 'error');
}

function durationNs(turn: Turn): number | null {
  if (turn.completedAt === null) return null;
  return (turn.completedAt.getTime() - (turn.startedAt ?? turn.createdAt).getTime()) * 1e6;
}
