import { sql } from 'kysely';
import type { Usage } from '../../core/models/usage.js';
import type { Db } from '../db/database.js';

/** The tokens of a turn's answered calls of one model. */
export interface ModelUsage {
  readonly model: string;
  readonly usage: Usage;
  /** Whether the provider counted the tokens of every call. */
  readonly isWhole: boolean;
}

/** The tokens of turns by model, from their steps. */
export async function usageByModel(
  db: Db,
  turnIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ModelUsage[]>> {
  const found = new Map<string, ModelUsage[]>();
  if (turnIds.length === 0) return found;
  const { rows } = await sql<ModelUsage & { readonly turnId: string }>`
    select turn_id as "turnId", model, bool_and(total_tokens > 0) as "isWhole",
      jsonb_build_object('promptTokens', sum(prompt_tokens), 'completionTokens', sum(completion_tokens),
        'totalTokens', sum(total_tokens), 'cachedTokens', sum(cached_tokens),
        'reasoningTokens', sum(reasoning_tokens)) as usage
    from steps where turn_id = any(${[...turnIds]}) and state = 'answered'
    group by turn_id, model`.execute(db);
  for (const { turnId, ...usage } of rows) {
    const others = found.get(turnId);
    if (others === undefined) found.set(turnId, [usage]);
    else others.push(usage);
  }
  return found;
}
