import { type RawBuilder, sql } from 'kysely';
import { SettingsError } from '../../adapters/settings/settings-error.js';
import type { McpConfig } from '../../core/tools/mcp.js';
import { keyIdOf, type Vault } from '../../core/vault.js';
import { mapVariables, placeOf, variableFields } from '../agents/variables.js';
import { type Db, inTransaction, type Tx } from './database.js';
import { isPlain, mapSecrets } from '../tools/mcp-secrets.js';
import { toJson } from './storable.js';

/** Rows sealed per transaction. */
const batchSize = 200;

/** The condition of the partial index, word for word. */
const isPlainAgent = sql<boolean>`(
  extras @? '$.secrets.* ? (@ != "" && !(@ starts with "sealed.1."))'
  or extras @? '$.tool_exec_environment_variables.* ? (@ != "" && !(@ starts with "sealed.1."))')`;

/**
 * Checks that this process can open all secrets of the database: it needs every key that sealed one, and a key if
 * some are not sealed yet. Throws SettingsError.
 */
export async function checkSecretKeys(db: Db, vault: Vault): Promise<void> {
  const used = (await sql<{ id: string }>`select id from secret_keys`.execute(db)).rows;
  const absent = used.map(({ id }) => id).filter((id) => !vault.keyIds.includes(id));
  if (absent.length > 0)
    throw refusal(vault, `this database has secrets that are sealed with ${absent.join(', ')}`);
  if (vault.keyIds.length === 0 && (await holdsPlain(db))) {
    throw refusal(vault, 'this database has secrets in the clear, which are to be sealed');
  }
}

/**
 * Checks as `checkSecretKeys` does, then makes this process's first key the database's current one and seals what was
 * not sealed. A second call does nothing.
 */
export async function adoptSecretKeys(db: Db, vault: Vault): Promise<void> {
  await checkSecretKeys(db, vault);
  const [current] = vault.keyIds;
  if (current === undefined) return;
  await sql`insert into secret_keys (id) values (${current}) on conflict do nothing`.execute(db);
  // Two processes without a common key may start together. Then both keys are recorded, and neither process goes on.
  await checkSecretKeys(db, vault);
  await rewriteSecrets(db, isPlainAgent, (text, place) =>
    keyIdOf(text) === undefined ? vault.seal(text, place) : text,
  );
}

/**
 * Seals everything with the current key, and forgets other keys. A key that another process still uses stays known.
 * Returns the number of changed rows.
 */
export async function resealSecrets(db: Db, vault: Vault): Promise<number> {
  await adoptSecretKeys(db, vault);
  const [current = ''] = vault.keyIds;
  const has = sql<boolean>`(extras ?| ${[...variableFields]}::text[])`;
  const changed = await rewriteSecrets(db, has, (text, place) =>
    keyIdOf(text) === current ? text : vault.seal(vault.open(text, place), place),
  );
  const isUsed = (table: string, column: string) =>
    sql`exists (select from ${sql.table(table)} where ${sql.ref(column)}::text like '%sealed.1.' || secret_keys.id || '.%')`;
  await sql`delete from secret_keys where id <> ${current}
    and not ${isUsed('agents', 'extras')} and not ${isUsed('mcp_servers', 'config')}`.execute(db);
  return changed;
}

type Rewrite = (text: string, place: string) => string;

async function rewriteSecrets(db: Db, which: RawBuilder<boolean>, rewrite: Rewrite): Promise<number> {
  let changed = 0;
  for (let after = ''; ;) {
    const ids = await inTransaction(db, (tx) => rewriteAgents(tx, { which, after, rewrite }));
    changed += ids.changed;
    if (ids.last === undefined) break;
    after = ids.last;
  }
  return changed + (await inTransaction(db, (tx) => rewriteServers(tx, rewrite)));
}

async function rewriteAgents(
  tx: Tx,
  { which, after, rewrite }: { which: RawBuilder<boolean>; after: string; rewrite: Rewrite },
): Promise<{ readonly changed: number; readonly last: string | undefined }> {
  const { rows } = await sql<{ id: string; extras: Record<string, unknown> }>`
    select id, extras from agents where ${which} and id > ${after} order by id limit ${batchSize} for update`.execute(
    tx,
  );
  let changed = 0;
  for (const { id, extras } of rows) {
    const sealed = toJson(
      mapVariables(extras, (value, field, name) =>
        value === '' ? '' : rewrite(value, placeOf(id, field, name)),
      ),
    );
    if (sealed === toJson(extras)) continue;
    await sql`update agents set extras = ${sealed}::jsonb where id = ${id}`.execute(tx);
    changed += 1;
  }
  return { changed, last: rows.at(-1)?.id };
}

/** There are few rows. */
async function rewriteServers(tx: Tx, rewrite: Rewrite): Promise<number> {
  const { rows } = await sql<{ id: string; config: McpConfig }>`
    select id, config from mcp_servers order by id for update`.execute(tx);
  let changed = 0;
  for (const { id, config } of rows) {
    const sealed = toJson(
      mapSecrets(config, (value, place) => (value === '' ? '' : rewrite(value, `${id} ${place}`))),
    );
    if (sealed === toJson(config)) continue;
    await sql`update mcp_servers set config = ${sealed}::jsonb where id = ${id}`.execute(tx);
    changed += 1;
  }
  return changed;
}

async function holdsPlain(db: Db): Promise<boolean> {
  const agents = await sql`select from agents where ${isPlainAgent} limit 1`.execute(db);
  if (agents.rows.length > 0) return true;
  const servers = await sql<{ config: McpConfig }>`select config from mcp_servers`.execute(db);
  return servers.rows.some(({ config }) => isPlain(config));
}

function refusal(vault: Vault, why: string): SettingsError {
  const has = vault.keyIds.length === 0 ? 'is not set' : `is the key ${vault.keyIds.join(', ')}`;
  const message =
    `${has}, but ${why}. Set it to the key of the other servers and workers; one that npm start made is in ` +
    `secret.key of its data directory. Former keys belong into PERDURE_SECRET_KEY_OLD.`;
  return new SettingsError([{ variable: 'PERDURE_SECRET_KEY', message }]);
}
