import { z } from 'zod';
import type { Step, StepState } from '../../schema/turns/records.js';
import type { StepFeedback, StepTimes } from '../../schema/turns/step-feedback.js';

/** One model call, as the API shows it. */
export const wireStep = z
  .object({
    id: z.string(),
    origin: z.string().nullable(),
    organization_id: z.string().nullable(),
    provider_id: z.string().nullable(),
    provider_name: z.string().nullable(),
    provider_category: z.string().nullable(),
    run_id: z.string(),
    /** The run's id under its name in older clients. */
    job_id: z.string(),
    agent_id: z.string(),
    model: z.string(),
    model_handle: z.string(),
    model_endpoint: z.string().nullable(),
    context_window_limit: z.number(),
    completion_tokens: z.number(),
    prompt_tokens: z.number(),
    total_tokens: z.number(),
    cached_input_tokens: z.number(),
    cache_write_tokens: z.number().nullable(),
    reasoning_tokens: z.number(),
    completion_tokens_details: z.record(z.string(), z.unknown()).nullable(),
    prompt_tokens_details: z.record(z.string(), z.unknown()).nullable(),
    stop_reason: z.string().nullable(),
    tags: z.array(z.string()),
    tid: z.string().nullable(),
    trace_id: z.string().nullable(),
    request_id: z.string().nullable(),
    messages: z.array(z.unknown()),
    feedback: z.string().nullable(),
    project_id: z.string().nullable(),
    error_type: z.string().nullable(),
    error_data: z.record(z.string(), z.unknown()).nullable(),
    status: z.enum(['pending', 'success', 'failed', 'cancelled']),
    /** US dollars; null: not known. Not Letta's. */
    cost: z.number().nullable(),
  })
  .meta({ id: 'Step' });

export type WireStep = z.infer<typeof wireStep>;

const statuses = {
  pending: 'pending',
  answered: 'success',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<StepState, string>;

/** What a step's own row does not say. */
interface BesideStep {
  readonly said?: StepFeedback | undefined;
  /** The run's, if this is its last step; else null. */
  readonly stopReason?: string | null;
  readonly cost?: number | undefined;
}

export function toWireStep(
  step: Step,
  { said = { feedback: null, tags: [] }, stopReason = null, cost }: BesideStep = {},
): WireStep {
  const provider = step.model.slice(0, step.model.indexOf('/'));
  return {
    id: step.id,
    origin: null,
    organization_id: null,
    provider_id: null,
    provider_name: provider,
    provider_category: 'base',
    run_id: step.turnId,
    job_id: step.turnId,
    agent_id: step.agentId,
    model: step.model.slice(provider.length + 1),
    model_handle: step.model,
    model_endpoint: null,
    context_window_limit: step.contextWindow,
    completion_tokens: step.usage.completionTokens,
    prompt_tokens: step.usage.promptTokens,
    total_tokens: step.usage.totalTokens,
    cached_input_tokens: step.usage.cachedTokens,
    cache_write_tokens: null,
    reasoning_tokens: step.usage.reasoningTokens,
    completion_tokens_details: { reasoning_tokens: step.usage.reasoningTokens },
    prompt_tokens_details: { cached_tokens: step.usage.cachedTokens },
    stop_reason: stopReason,
    tags: [...said.tags],
    tid: null,
    trace_id: null,
    request_id: null,
    messages: [],
    feedback: said.feedback,
    project_id: null,
    error_type: step.error?.type ?? null,
    error_data: step.error === null ? null : { message: step.error.message },
    status: statuses[step.state],
    cost: cost ?? null,
  };
}

/** How long a step took, in ns as Letta counts. */
export const wireStepMetrics = z
  .object({
    id: z.string(),
    run_id: z.string(),
    agent_id: z.string(),
    organization_id: z.string().nullable(),
    provider_id: z.string().nullable(),
    step_start_ns: z.number(),
    llm_request_start_ns: z.number(),
    llm_request_ns: z.number().nullable(),
    tool_execution_ns: z.number().nullable(),
    step_ns: z.number().nullable(),
    base_template_id: z.string().nullable(),
    template_id: z.string().nullable(),
    project_id: z.string().nullable(),
  })
  .meta({ id: 'StepMetrics' });

export function toWireStepMetrics(step: Step, times: StepTimes): z.infer<typeof wireStepMetrics> {
  const startedAt = step.createdAt.getTime() * nsPerMs;
  return {
    id: step.id,
    run_id: step.turnId,
    agent_id: step.agentId,
    organization_id: null,
    provider_id: null,
    step_start_ns: startedAt,
    llm_request_start_ns: startedAt,
    llm_request_ns: toNs(times.modelMs),
    tool_execution_ns: toNs(times.toolsMs),
    step_ns: toNs(times.stepMs),
    base_template_id: null,
    template_id: null,
    project_id: null,
  };
}

const nsPerMs = 1e6;

function toNs(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * nsPerMs);
}
