import { sql } from 'kysely';
import { type BudgetGrant, grantTokens } from '../../core/refinement/refinement.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { type Fence, holdFence } from '../turns/fences.js';

/** Whether a token budget limits the turn. */
export async function isBounded(db: Db | Tx, turnId: string): Promise<boolean> {
  const { rows } = await sql`select from turns where id = ${turnId} and options ? 'refinement'`.execute(db);
  return rows.length > 0;
}

/**
 * Reserves the cost of a model call before the call. An attempt that broke off may have been charged, so its
 * reservation stays unless `releaseTokens` frees it.
 */
export async function reserveTokens(
  tx: Tx,
  call: {
    readonly refinementId: string;
    readonly stepId: string;
    /** The number of the step's attempt, from 1. */
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

/** Frees the reservation of a refused attempt, which cost nothing. Does nothing where the fence is lost. */
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
 * The tokens of a refinement: answered calls by the provider's usage if reported, all others by their reservation.
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
