import { sql } from 'kysely';
import { type BudgetGrant, grantTokens } from '../../core/refinement/refinement.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { type Fence, holdFence } from '../turns/fences.js';

/** Whether a budget bounds what the turn may spend. */
export async function isBounded(db: Db | Tx, turnId: string): Promise<boolean> {
  const { rows } = await sql`select from turns where id = ${turnId} and options ? 'refinement'`.execute(db);
  return rows.length > 0;
}

/**
 * Reserves what a model call may cost, before it is made. An attempt that broke off may have been paid for: its reservation stays, unless `releaseTokens` says that nothing was answered.
 */
export async function reserveTokens(
  tx: Tx,
  call: {
    readonly refinementId: string;
    readonly stepId: string;
    /** Which attempt of the step makes the call, 1-based. */
    readonly attempt: number;
    readonly promptTokens: number;
    readonly maxOutput: number | undefined;
  },
): Promise<BudgetGrant> {
  const { refinementId } = call;
  const { settings } = await tx
    .selectFrom('refinements')
    .select('settings')
    .where('id', '=', refinementId)
    .executeTakeFirstOrThrow();
  const committed = await committedTokens(tx, refinementId);
  const grant = grantTokens({ ...call, limit: settings.maxTokens, committed });
  if (grant.kind === 'granted') {
    await sql`
      insert into token_reservations (refinement_id, step_id, attempt, tokens)
      values (${refinementId}, ${call.stepId}, ${call.attempt}, ${grant.reserved})`.execute(tx);
  }
  return grant;
}

/** The attempt was refused, and nothing was paid for it. Does nothing where the fence is lost. */
export async function releaseTokens(
  db: Db | Tx,
  fence: Fence,
  { stepId, attempt }: { readonly stepId: string; readonly attempt: number },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    if ((await holdFence(tx, fence)) === undefined) return;
    await sql`
      update token_reservations set released = true
      where step_id = ${stepId} and attempt = ${attempt}`.execute(tx);
  });
}

/**
 * What a refinement has spent: answered calls by their usage, where the provider told it; all others by what was
 * reserved for them.
 */
export async function committedTokens(db: Db | Tx, refinementId: string): Promise<number> {
  const { rows } = await sql<{ tokens: number }>`
    select coalesce(sum(case
      when r.released then 0
      when s.state = 'answered' and s.total_tokens > 0 and r.attempt = (
        select max(attempt) from token_reservations latest where latest.step_id = r.step_id) then s.total_tokens
      else r.tokens end), 0)::bigint as tokens
    from token_reservations r left join steps s on s.id = r.step_id
    where r.refinement_id = ${refinementId}`.execute(db);
  return rows[0]?.tokens ?? 0;
}
