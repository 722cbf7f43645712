import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../db/database.js';

/** On whose behalf a running tool calls back, and in the course of what; null outside of a turn. */
export interface ToolCaller {
  readonly agentId: string;
  readonly turnId: string | null;
  readonly stepId: string | null;
  readonly toolCallId: string | null;
  readonly effectId: string | null;
  /** Set where a model wrote what runs: to that less is open than to a tool that somebody made. */
  readonly writtenBy?: 'model';
}

/** Begins tokens of what a model wrote. The digest is of the whole, so that nobody can take it off. */
const modelPrefix = 'model.';

/** A new token for one run of a tool, which ends by itself after this time. Throws where the agent is gone. */
export async function issueToolToken(db: Db, caller: ToolCaller, forMs: number): Promise<string> {
  const prefix = caller.writtenBy === 'model' ? modelPrefix : '';
  const token = prefix + randomBytes(24).toString('base64url');
  await db
    .insertInto('tool_tokens')
    .values({
      digest: digestOf(token),
      agent_id: caller.agentId,
      turn_id: caller.turnId,
      step_id: caller.stepId,
      tool_call_id: caller.toolCallId,
      effect_id: caller.effectId,
      expires_at: sql<Date>`clock_timestamp() + ${forMs} * interval '1 millisecond'`,
    })
    .execute();
  return token;
}

/** Whose token it is; undefined where it has ended. */
export async function findToolCaller(db: Db, token: string): Promise<ToolCaller | undefined> {
  const row = await db
    .selectFrom('tool_tokens')
    .selectAll()
    .where('digest', '=', digestOf(token))
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    agentId: row.agent_id,
    turnId: row.turn_id,
    stepId: row.step_id,
    toolCallId: row.tool_call_id,
    effectId: row.effect_id,
    ...(token.startsWith(modelPrefix) ? { writtenBy: 'model' as const } : {}),
  };
}

/** Ends a token, and removes those that ended by themselves: their tool's process was killed. */
export async function revokeToolToken(db: Db, token: string): Promise<void> {
  await db
    .deleteFrom('tool_tokens')
    .where((eb) =>
      eb.or([eb('digest', '=', digestOf(token)), eb('expires_at', '<', sql<Date>`clock_timestamp()`)]),
    )
    .execute();
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
