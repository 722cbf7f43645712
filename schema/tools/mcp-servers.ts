import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';
import { McpServerNotFoundError, McpServerTakenError } from './errors.js';
import type { SealedMcpConfig } from './mcp-secrets.js';
import type { McpServersTable } from './tables.js';
import { storable, toJson } from '../db/storable.js';

/** A registered MCP server. */
export interface McpServerRecord {
  readonly id: string;
  readonly name: string;
  readonly config: SealedMcpConfig;
  readonly createdAt: Date;
}

/** An id for a new server. Its secrets are sealed for it. */
export function newMcpServerId(): string {
  return `mcp_server-${randomUUID()}`;
}

/** Throws McpServerTakenError where another server has this name. */
export async function createMcpServer(
  db: Db | Tx,
  input: { readonly id: string; readonly name: string; readonly config: SealedMcpConfig },
): Promise<McpServerRecord> {
  const row = await db
    .insertInto('mcp_servers')
    .values({
      id: input.id,
      name: storable(input.name),
      config: toJson(input.config.sealed),
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new McpServerTakenError(input.name);
  return toRecord(row);
}

/** All servers, oldest first. There are few. */
export async function listMcpServers(db: Db | Tx): Promise<readonly McpServerRecord[]> {
  const rows = await db.selectFrom('mcp_servers').selectAll().orderBy('created_at').orderBy('id').execute();
  return rows.map(toRecord);
}

/** A server by its id or, as older clients ask, by its name. Throws McpServerNotFoundError. */
export async function requireMcpServer(db: Db | Tx, idOrName: string): Promise<McpServerRecord> {
  const row = await db
    .selectFrom('mcp_servers')
    .selectAll()
    .where((eb) => eb.or([eb('id', '=', idOrName), eb('name', '=', idOrName)]))
    .orderBy((eb) => eb('id', '=', idOrName), 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) throw new McpServerNotFoundError(idOrName);
  return toRecord(row);
}

/** Throws McpServerNotFoundError, McpServerTakenError. */
export async function updateMcpServer(
  db: Db | Tx,
  serverId: string,
  input: { readonly name: string; readonly config: SealedMcpConfig },
): Promise<McpServerRecord> {
  const name = storable(input.name);
  const taken = await db
    .selectFrom('mcp_servers')
    .select('id')
    .where('name', '=', name)
    .where('id', '<>', serverId)
    .executeTakeFirst();
  if (taken !== undefined) throw new McpServerTakenError(input.name);
  const row = await db
    .updateTable('mcp_servers')
    .set({ name, config: toJson(input.config.sealed), updated_at: sql<Date>`now()` })
    .where('id', '=', serverId)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new McpServerNotFoundError(serverId);
  return toRecord(row);
}

/** Deletes the server and its tools, which its agents lose. Throws McpServerNotFoundError. */
export async function deleteMcpServer(db: Db | Tx, serverId: string): Promise<void> {
  const row = await db
    .deleteFrom('mcp_servers')
    .where('id', '=', serverId)
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) throw new McpServerNotFoundError(serverId);
  await db
    .deleteFrom('tools')
    .where(sql<boolean>`extras->'mcp'->>'server_id' = ${serverId}`)
    .execute();
}

function toRecord(row: Selectable<McpServersTable>): McpServerRecord {
  return { id: row.id, name: row.name, config: { sealed: row.config }, createdAt: row.created_at };
}
