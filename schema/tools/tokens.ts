import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../db/database.js';

/** The agent and the place in its turn for which a running tool calls back; null: outside of a turn. */
export interface ToolCaller {
  readonly agentId: string;
  readonly turnId: string | null;
  readonly stepId: string | null;
  readonly toolCallId: string | null;
  readonly effectId: string | null;
  /** Set where a model wrote the running code, which may do less than a tool that a person made. */
  readonly writtenBy?: 'model';
}

/** Prefix of tokens for code that a model wrote. The digest covers it, so it can't be stripped. */
const modelPrefix = 'model.';

/** Creates a token for one run of a tool, which expires after this time. Throws where the agent is gone. */
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

/** The caller of a token; undefined: expired or unknown. */
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

/** Revokes a token, and removes expired ones, whose tool's process was killed. */
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
