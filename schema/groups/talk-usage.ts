import { sql } from 'kysely';
import type { Usage } from '../../core/models/usage.js';
import { broadcastTool } from '../../core/tools/supervising.js';
import type { Db } from '../db/database.js';

/** The usage of a talk: its own turns, and those of agents that a supervisor asked in it. */
export async function talkUsage(
  db: Db,
  talkId: string,
): Promise<{ readonly usage: Usage; readonly steps: number }> {
  const result = await sql<Usage & { readonly steps: number }>`
    with own as (
      select turn_id as id from talk_turns where talk_id = ${talkId}
    ), turns as (
      select id from own union
      select e.to_turn from edges e join effects f on f.id = e.effect_id
      where f.tool_name = ${broadcastTool} and e.from_turn in (select id from own)
    )
    select count(answered_at)::int as steps, coalesce(sum(prompt_tokens), 0)::int as "promptTokens",
      coalesce(sum(completion_tokens), 0)::int as "completionTokens",
      coalesce(sum(total_tokens), 0)::int as "totalTokens", coalesce(sum(cached_tokens), 0)::int as "cachedTokens",
      coalesce(sum(reasoning_tokens), 0)::int as "reasoningTokens"
    from steps where turn_id in (select id from turns)`.execute(db);
  const [row] = result.rows;
  if (row === undefined) throw new Error(`The usage of talk ${talkId} could not be read.`);
  const { steps, ...usage } = row;
  return { usage, steps };
}
