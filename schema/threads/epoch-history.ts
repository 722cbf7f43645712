import { sql } from 'kysely';
import type { Db } from '../db/database.js';
import type { EvictionMethod } from './evictions.js';

/** An epoch as the steps in it show it: its own row is removed after a day. */
export interface PastEpoch {
  readonly id: string;
  /** 1 for the first of the thread's kept steps. */
  readonly number: number;
  readonly firstStepId: string;
  readonly turnId: string;
  readonly beganAt: Date;
  readonly steps: number;
  /** Tokens of its first request, as the provider counted them; 0: not counted. */
  readonly firstPromptTokens: number;
  /** Tokens of all its requests, and how many of them the provider's cache held. */
  readonly promptTokens: number;
  readonly cachedTokens: number;
}

/** An eviction as a past event. */
export interface PastEviction {
  readonly id: string;
  readonly turnId: string;
  readonly at: Date;
  readonly method: EvictionMethod;
  readonly messages: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

type ThreadOf = { readonly agentId: string; readonly threadId: string };

/** A thread's epochs, newest first. */
export async function listEpochs(
  db: Db,
  { agentId, threadId }: ThreadOf,
  limit: number,
): Promise<readonly PastEpoch[]> {
  const { rows } = await sql<PastEpoch>`
    with told as (
      select epoch_id as id, min(created_at) as "beganAt", count(*) as steps,
        sum(prompt_tokens) as "promptTokens", sum(cached_tokens) as "cachedTokens",
        row_number() over (order by min(created_at), epoch_id) as number
      from steps where agent_id = ${agentId} and thread_id = ${threadId} and epoch_id is not null
      group by epoch_id order by number desc limit ${limit}
    )
    select told.*, first.id as "firstStepId", first.turn_id as "turnId", first.prompt_tokens as "firstPromptTokens"
    from told cross join lateral (
      select id, turn_id, prompt_tokens from steps
      where agent_id = ${agentId} and created_at = told."beganAt" and epoch_id = told.id order by id limit 1
    ) as first
    order by number desc`.execute(db);
  return rows;
}

/** A thread's evictions, newest first. */
export async function listEvictions(
  db: Db,
  threadId: string,
  limit: number,
): Promise<readonly PastEviction[]> {
  const rows = await db
    .selectFrom('evictions')
    .selectAll()
    .where('thread_id', '=', threadId)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    turnId: row.turn_id,
    at: row.created_at,
    method: row.method as EvictionMethod,
    messages: row.messages,
    tokensBefore: row.tokens_before,
    tokensAfter: row.tokens_after,
  }));
}
