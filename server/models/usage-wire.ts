import { z } from 'zod';
import { stopReasons, type StopReason } from '../../core/turns/stop-reasons.js';
import type { Usage } from '../../core/models/usage.js';

/** Why a run ended: in every response, and as the last but one message of a stream. */
export const wireStopReason = z
  .object({ message_type: z.literal('stop_reason'), stop_reason: z.enum(stopReasons) })
  .meta({ id: 'LettaStopReason' });

/** What a run cost, in tokens. */
export const wireUsage = z
  .object({
    message_type: z.literal('usage_statistics'),
    completion_tokens: z.number(),
    prompt_tokens: z.number(),
    total_tokens: z.number(),
    step_count: z.number(),
    run_ids: z.array(z.string()).nullable(),
    cached_input_tokens: z.number().nullable(),
    cache_write_tokens: z.number().nullable(),
    reasoning_tokens: z.number().nullable(),
    context_tokens: z.number().nullable(),
  })
  .meta({ id: 'LettaUsageStatistics' });

export type WireStopReason = z.infer<typeof wireStopReason>;
export type WireUsage = z.infer<typeof wireUsage>;

export function toWireStopReason(reason: StopReason): WireStopReason {
  return { message_type: 'stop_reason', stop_reason: reason };
}

/** A run's usage. `steps`: how many model calls it made. */
export function toWireUsage(usage: Usage, steps: number, turnId: string): WireUsage {
  return {
    message_type: 'usage_statistics',
    completion_tokens: usage.completionTokens,
    prompt_tokens: usage.promptTokens,
    total_tokens: usage.totalTokens,
    step_count: steps,
    run_ids: [turnId],
    cached_input_tokens: usage.cachedTokens,
    cache_write_tokens: null,
    reasoning_tokens: usage.reasoningTokens,
    context_tokens: null,
  };
}
