import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import {
  type Identity,
  type IdentityProperty,
  type IdentityType,
  mergeProperties,
} from '../../core/identities/identities.js';
import { requireAgent } from '../agents/agents.js';
import { requireBlock } from '../blocks/blocks.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { IdentityKeyTakenError, IdentityNotFoundError } from './errors.js';
import type { IdentitiesTable } from './tables.js';
import { type Page, paged } from '../db/paging.js';
import { storable, storableOrNull, toJson } from '../db/storable.js';
import { isUniqueViolation } from '../db/unique-violation.js';

/** An identity to create. */
export interface NewIdentity {
  readonly identifierKey: string;
  readonly name: string;
  readonly type: IdentityType;
  /** Null or empty: no project. */
  readonly projectId?: string | null | undefined;
  readonly properties?: readonly IdentityProperty[] | undefined;
  readonly agentIds?: readonly string[] | undefined;
  readonly blockIds?: readonly string[] | undefined;
}

/** Changes of an identity; absent fields stay, lists are replaced. */
export type IdentityPatch = Partial<Omit<NewIdentity, 'projectId'>>;

/**
 * Creates an identity, completely or not at all. Throws IdentityKeyTakenError, AgentNotFoundError,
 * BlockNotFoundError.
 */
export async function createIdentity(db: Db | Tx, input: NewIdentity): Promise<Identity> {
  return inTransaction(db, async (tx) => {
    const id = await insertIdentity(tx, input);
    if (id === undefined) throw new IdentityKeyTakenError(input.identifierKey);
    await replaceOwners(tx, id, input);
    return requireIdentity(tx, id);
  });
}

/** Creates an identity, or changes the one with this key. Throws AgentNotFoundError and BlockNotFoundError. */
export async function upsertIdentity(db: Db | Tx, input: NewIdentity): Promise<Identity> {
  return inTransaction(db, async (tx) => {
    const made = await insertIdentity(tx, input);
    if (made === undefined) {
      const { projectId, ...patch } = input;
      return updateIdentity(tx, await findByKey(tx, input.identifierKey, projectId ?? null), patch);
    }
    await replaceOwners(tx, made, input);
    return requireIdentity(tx, made);
  });
}

async function insertIdentity(tx: Tx, input: NewIdentity): Promise<string | undefined> {
  const row = await tx
    .insertInto('identities')
    .values({
      id: `identity-${randomUUID()}`,
      identifier_key: storable(input.identifierKey),
      name: storable(input.name),
      identity_type: input.type,
      project_id: storableOrNull(input.projectId === '' ? null : (input.projectId ?? null)),
      properties: toJson(input.properties ?? []),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

async function findByKey(tx: Tx, key: string, projectId: string | null): Promise<string> {
  const row = await tx
    .selectFrom('identities')
    .select('id')
    .where('identifier_key', '=', storable(key))
    // As in the unique index, where no project counts as the empty one.
    .where(sql<boolean>`coalesce(project_id, '') = ${storable(projectId ?? '')}`)
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Throws IdentityNotFoundError, IdentityKeyTakenError, AgentNotFoundError, BlockNotFoundError. */
export async function updateIdentity(db: Db | Tx, id: string, patch: IdentityPatch): Promise<Identity> {
  return inTransaction(db, async (tx) => {
    const { identifierKey: key, name, type, properties } = patch;
    await lockIdentity(tx, id);
    await tx
      .updateTable('identities')
      .set({
        updated_at: sql<Date>`clock_timestamp()`,
        ...(key !== undefined && { identifier_key: storable(key) }),
        ...(name !== undefined && { name: storable(name) }),
        ...(type !== undefined && { identity_type: type }),
        ...(properties !== undefined && { properties: toJson(properties) }),
      })
      .where('id', '=', id)
      .execute()
      .catch((error: unknown) => {
        if (key !== undefined && isUniqueViolation(error)) throw new IdentityKeyTakenError(key);
        throw error;
      });
    await replaceOwners(tx, id, patch);
    return requireIdentity(tx, id);
  });
}

async function lockIdentity(tx: Tx, id: string): Promise<Selectable<IdentitiesTable>> {
  const row = await tx
    .selectFrom('identities')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw new IdentityNotFoundError(id);
  return row;
}

/** Sets properties by their keys; others stay. Throws IdentityNotFoundError. */
export async function setProperties(
  db: Db,
  id: string,
  properties: readonly IdentityProperty[],
): Promise<Identity> {
  return inTransaction(db, async (tx) => {
    const { properties: current } = await lockIdentity(tx, id);
    return updateIdentity(tx, id, { properties: mergeProperties(current, properties) });
  });
}

/** Deletes an identity, but not its agents and blocks. Throws IdentityNotFoundError. */
export async function deleteIdentity(db: Db, id: string): Promise<void> {
  const row = await db.deleteFrom('identities').where('id', '=', id).returning('id').executeTakeFirst();
  if (row === undefined) throw new IdentityNotFoundError(id);
}

/** Throws IdentityNotFoundError. */
export async function requireIdentity(db: Db | Tx, id: string): Promise<Identity> {
  const row = await identityRows(db).where('identities.id', '=', id).executeTakeFirst();
  if (row === undefined) throw new IdentityNotFoundError(id);
  return toIdentity(row);
}

/** Identities by their ids, without unknown ones. */
export async function getIdentities(
  db: Db | Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Identity>> {
  const rows = await identityRows(db)
    .where('identities.id', '=', sql<string>`any(${[...ids]})`)
    .execute();
  return new Map(rows.map((row) => [row.id, toIdentity(row)]));
}

/** Filters for identities; absent: all. */
export interface IdentityFilter {
  readonly name?: string | undefined;
  readonly projectId?: string | undefined;
  readonly identifierKey?: string | undefined;
  readonly type?: IdentityType | undefined;
}

/** Identities by creation, paged. */
export async function listIdentities(
  db: Db,
  filter: IdentityFilter,
  page: Page,
): Promise<readonly Identity[]> {
  const { name, projectId, identifierKey, type } = filter;
  let query = identityRows(db);
  if (name !== undefined) query = query.where('name', '=', name);
  if (projectId !== undefined) query = query.where(sql`coalesce(project_id, '')`, '=', projectId);
  if (identifierKey !== undefined) query = query.where('identifier_key', '=', identifierKey);
  if (type !== undefined) query = query.where('identity_type', '=', type);
  return (await paged('identities', query, page)).map(toIdentity);
}

export async function countIdentities(db: Db): Promise<number> {
  const query = db.selectFrom('identities').select((eb) => eb.fn.countAll<number>().as('count'));
  return (await query.executeTakeFirstOrThrow()).count;
}

async function replaceOwners(tx: Tx, id: string, { agentIds, blockIds }: IdentityPatch): Promise<void> {
  if (agentIds !== undefined) {
    for (const agentId of agentIds) await requireAgent(tx, agentId);
    await tx.deleteFrom('agent_identities').where('identity_id', '=', id).execute();
    await sql`insert into agent_identities (agent_id, identity_id)
      select wanted, ${id} from unnest(${[...new Set(agentIds)]}::text[]) as wanted`.execute(tx);
  }
  if (blockIds !== undefined) {
    for (const blockId of blockIds) await requireBlock(tx, blockId);
    await tx.deleteFrom('block_identities').where('identity_id', '=', id).execute();
    await sql`insert into block_identities (block_id, identity_id)
      select wanted, ${id} from unnest(${[...new Set(blockIds)]}::text[]) as wanted`.execute(tx);
  }
}

function identityRows(db: Db | Tx) {
  return db
    .selectFrom('identities')
    .selectAll('identities')
    .select([
      sql<string[]>`array(
        select agent_id from agent_identities join agents on agents.id = agent_id
        where identity_id = identities.id and agents.deleted_at is null order by attached_at, agent_id)`.as(
        'agent_ids',
      ),
      sql<string[]>`array(
        select block_id from block_identities where identity_id = identities.id order by attached_at, block_id)`.as(
        'block_ids',
      ),
    ]);
}

function toIdentity(
  row: Selectable<IdentitiesTable> & { readonly agent_ids: string[]; readonly block_ids: string[] },
): Identity {
  return {
    id: row.id,
    identifierKey: row.identifier_key,
    name: row.name,
    type: row.identity_type,
    projectId: row.project_id,
    properties: row.properties,
    agentIds: row.agent_ids,
    blockIds: row.block_ids,
    createdAt: row.created_at,
  };
}
