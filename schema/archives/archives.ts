import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { requireAgent } from '../agents/agents.js';
import { ArchiveNotFoundError, ArchiveOwnedError } from './errors.js';
import { allowTime, type Db, inTransaction, type Tx } from '../db/database.js';
import { AgentNotFoundError } from '../agents/errors.js';
import { type Page, paged } from '../db/paging.js';
import { storable, storableOrNull } from '../db/storable.js';
import type { ArchivesTable } from './tables.js';

/** A store of passages, with the model that embeds them. */
export interface Archive {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Handle of the embedding model. */
  readonly embedding: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The archive that an agent stores its passages in. Throws AgentNotFoundError. */
export async function agentArchive(db: Db | Tx, agentId: string): Promise<Archive> {
  const row = await db
    .selectFrom('agent_archives')
    .innerJoin('archives', 'archives.id', 'agent_archives.archive_id')
    .innerJoin('agents', 'agents.id', 'agent_archives.agent_id')
    .selectAll('archives')
    .where('agent_archives.agent_id', '=', agentId)
    .where('agent_archives.is_owner', '=', true)
    .where('agents.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw new AgentNotFoundError(agentId);
  return toArchive(row);
}

/** An archive to create. No agent has it yet. */
export interface NewArchive {
  readonly name: string;
  readonly description: string | null;
  readonly embedding: string;
}

export async function createArchive(db: Db | Tx, input: NewArchive): Promise<Archive> {
  const row = await db
    .insertInto('archives')
    .values({
      id: `archive-${randomUUID()}`,
      name: storable(input.name),
      description: storableOrNull(input.description),
      embedding: input.embedding,
      metadata: '{}',
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toArchive(row);
}

/** Throws ArchiveNotFoundError. */
export async function requireArchive(db: Db | Tx, archiveId: string): Promise<Archive> {
  const row = await db.selectFrom('archives').selectAll().where('id', '=', archiveId).executeTakeFirst();
  if (row === undefined) throw new ArchiveNotFoundError(archiveId);
  return toArchive(row);
}

/** Filters for archives; absent: all. */
export interface ArchiveFilter {
  readonly name?: string | undefined;
  /** Archives that this agent has. */
  readonly agentId?: string | undefined;
}

/** Archives by creation, paged. */
export async function listArchives(
  db: Db | Tx,
  filter: ArchiveFilter,
  page: Page,
): Promise<readonly Archive[]> {
  let query = db.selectFrom('archives').selectAll('archives');
  if (filter.name !== undefined) query = query.where('name', '=', filter.name);
  if (filter.agentId !== undefined) {
    query = query.where(
      sql<boolean>`exists (select from agent_archives where archive_id = archives.id and agent_id = ${filter.agentId})`,
    );
  }
  return (await paged('archives', query, page)).map(toArchive);
}

/** Changes the given fields. Throws ArchiveNotFoundError. */
export async function updateArchive(
  db: Db | Tx,
  archiveId: string,
  patch: { readonly name?: string | undefined; readonly description?: string | undefined },
): Promise<Archive> {
  const row = await db
    .updateTable('archives')
    .set({
      updated_at: sql<Date>`now()`,
      ...(patch.name !== undefined && { name: storable(patch.name) }),
      ...(patch.description !== undefined && { description: storable(patch.description) }),
    })
    .where('id', '=', archiveId)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new ArchiveNotFoundError(archiveId);
  return toArchive(row);
}

/** Deletes an archive with its passages. Throws ArchiveNotFoundError, ArchiveOwnedError. */
export async function deleteArchive(db: Db | Tx, archiveId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await requireArchive(tx, archiveId);
    await refuseOwned(tx, archiveId);
    await allowTime(tx);
    await tx.deleteFrom('archives').where('id', '=', archiveId).execute();
  });
}

/** Lets an agent read and search an archive. Throws AgentNotFoundError, ArchiveNotFoundError. */
export async function attachArchive(db: Db | Tx, agentId: string, archiveId: string): Promise<void> {
  await requireAgent(db, agentId);
  await requireArchive(db, archiveId);
  await db
    .insertInto('agent_archives')
    .values({ agent_id: agentId, archive_id: archiveId, is_owner: false })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Detaches an archive from an agent, unless it is the agent's own. Throws AgentNotFoundError, ArchiveOwnedError. */
export async function detachArchive(db: Db | Tx, agentId: string, archiveId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await requireAgent(tx, agentId);
    await requireArchive(tx, archiveId);
    await refuseOwned(tx, archiveId, agentId);
    await tx
      .deleteFrom('agent_archives')
      .where('agent_id', '=', agentId)
      .where('archive_id', '=', archiveId)
      .execute();
  });
}

/** An agent without its own archive could not store passages. */
async function refuseOwned(tx: Tx, archiveId: string, agentId?: string): Promise<void> {
  let query = tx
    .selectFrom('agent_archives')
    .innerJoin('agents', 'agents.id', 'agent_archives.agent_id')
    .select('agent_id')
    .where('archive_id', '=', archiveId)
    .where('is_owner', '=', true)
    .where('agents.deleted_at', 'is', null);
  if (agentId !== undefined) query = query.where('agent_id', '=', agentId);
  const owner = await query.executeTakeFirst();
  if (owner !== undefined) throw new ArchiveOwnedError(archiveId, owner.agent_id);
}

function toArchive(row: Selectable<ArchivesTable>): Archive {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    embedding: row.embedding,
    metadata: row.metadata,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
