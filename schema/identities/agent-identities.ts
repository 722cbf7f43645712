import { sql } from 'kysely';
import type { Identity } from '../../core/identities/identities.js';
import { requireAgent } from '../agents/agents.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { getIdentities, requireIdentity } from './identities.js';

/**
 * Attaches an identity to an agent. Harmless where it is attached. Throws AgentNotFoundError, IdentityNotFoundError.
 */
export async function attachIdentity(db: Db | Tx, agentId: string, identityId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await requireAgent(tx, agentId);
    await requireIdentity(tx, identityId);
    await tx
      .insertInto('agent_identities')
      .values({ agent_id: agentId, identity_id: identityId })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

/** Detaches an identity. Harmless where it isn't attached. */
export async function detachIdentity(db: Db | Tx, agentId: string, identityId: string): Promise<void> {
  await db
    .deleteFrom('agent_identities')
    .where('agent_id', '=', agentId)
    .where('identity_id', '=', identityId)
    .execute();
}

/** Replaces an agent's identities. Throws IdentityNotFoundError. */
export async function replaceIdentities(
  tx: Tx,
  agentId: string,
  identityIds: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('agent_identities')
    .where('agent_id', '=', agentId)
    .where('identity_id', '<>', sql<string>`all(${[...identityIds]})`)
    .execute();
  for (const identityId of identityIds) await attachIdentity(tx, agentId, identityId);
}

/** The identities of several agents in two queries, each agent's in the order of attachment. */
export async function identitiesOfAgents(
  db: Db | Tx,
  agentIds: readonly string[],
): Promise<readonly { readonly agentId: string; readonly identity: Identity }[]> {
  const rows = await db
    .selectFrom('agent_identities')
    .select(['agent_id', 'identity_id'])
    .where('agent_id', '=', sql<string>`any(${[...agentIds]})`)
    .orderBy('attached_at')
    .orderBy('identity_id')
    .execute();
  if (rows.length === 0) return [];
  const byId = await getIdentities(
    db,
    rows.map((row) => row.identity_id),
  );
  return rows.flatMap(({ agent_id: agentId, identity_id: id }) => {
    const identity = byId.get(id);
    return identity === undefined ? [] : [{ agentId, identity }];
  });
}
