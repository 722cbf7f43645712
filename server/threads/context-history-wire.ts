import { z } from 'zod';
import type { PastEpoch, PastEviction } from '../../schema/threads/epoch-history.js';

/** A stretch of steps with the same prompt. Not part of Letta's API. */
const wireEpoch = z
  .object({
    id: z.string(),
    number: z.number().describe('1 for the first one of which steps are kept'),
    began_at: z.string(),
    run_id: z.string(),
    first_step_id: z.string(),
    steps: z.number(),
    first_prompt_tokens: z.number().describe('0 where the provider did not count them'),
    prompt_tokens: z.number(),
    cached_tokens: z.number().describe('How many of them the provider had in its cache'),
  })
  .meta({ id: 'ContextEpoch' });

/** The oldest messages left the context; a summary stands for them. */
const wireEviction = z
  .object({
    id: z.string(),
    at: z.string(),
    run_id: z.string(),
    messages: z.number(),
    tokens_before: z.number(),
    tokens_after: z.number(),
    method: z.enum(['summarised', 'summarised_in_chunks', 'hard']),
  })
  .meta({ id: 'ContextEviction' });

/** What became of an agent's context, newest first. */
export const wireContextHistory = z
  .object({ epochs: z.array(wireEpoch), evictions: z.array(wireEviction) })
  .meta({ id: 'ContextHistory' });

export function toWireContextHistory(
  epochs: readonly PastEpoch[],
  evictions: readonly PastEviction[],
): z.infer<typeof wireContextHistory> {
  return {
    epochs: epochs.map((epoch) => ({
      id: epoch.id,
      number: epoch.number,
      began_at: epoch.beganAt.toISOString(),
      run_id: epoch.turnId,
      first_step_id: epoch.firstStepId,
      steps: epoch.steps,
      first_prompt_tokens: epoch.firstPromptTokens,
      prompt_tokens: epoch.promptTokens,
      cached_tokens: epoch.cachedTokens,
    })),
    evictions: evictions.map((eviction) => ({
      id: eviction.id,
      at: eviction.at.toISOString(),
      run_id: eviction.turnId,
      messages: eviction.messages,
      tokens_before: eviction.tokensBefore,
      tokens_after: eviction.tokensAfter,
      method: eviction.method,
    })),
  };
}
