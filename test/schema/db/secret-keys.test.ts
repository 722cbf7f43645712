import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { SettingsError } from '../../../adapters/settings/settings-error.js';
import type { McpConfig } from '../../../core/tools/mcp.js';
import { agentVariables } from '../../../schema/agents/variables.js';
import { requireAgent } from '../../../schema/agents/agents.js';
import { createAgent } from '../../../schema/agents/creation.js';
import { openMcpConfig } from '../../../schema/tools/mcp-secrets.js';
import { requireMcpServer } from '../../../schema/tools/mcp-servers.js';
import { adoptSecretKeys, checkSecretKeys, resealSecrets } from '../../../schema/db/secret-keys.js';
import { createVault } from '../../../schema/db/vault.js';
import { tablesWith } from '../../support/agents/plain-text.js';
import { aSecretKey } from '../../support/runtime/vault.js';
import { openTestDatabase, type OpenedDatabase, rejection } from '../fixtures.js';

const [one, two] = [aSecretKey('one'), aSecretKey('two')];
const extras = {
  hidden: true,
  secrets: { KEY: 'plain-secret', EMPTY: '' },
  tool_exec_environment_variables: { R: 'plain-var' },
};
const config: McpConfig = {
  ...{ transport: 'sse', url: 'http://x.test', headers: { 'X-Key': 'plain-header' }, authHeader: null },
  authToken: 'plain-token',
};

describe('secrets of a database', () => {
  let database: OpenedDatabase;
  let agentId: string;
  const vault = createVault([one]);

  beforeAll(async () => {
    database = await openTestDatabase();
    const { db } = database;
    const agent = await createAgent(db, {
      ...{ name: 'Old', agentType: 'memgpt_agent', system: '', model: 'a/b', embedding: 'a/b' },
    });
    agentId = agent.id;
    // As an earlier version wrote them.
    await sql`update agents set extras = ${JSON.stringify(extras)}::jsonb where id = ${agentId}`.execute(db);
    await sql`insert into mcp_servers (id, name, config)
      values ('mcp_server-old', 'old', ${JSON.stringify(config)}::jsonb)`.execute(db);
  });
  afterAll(() => database.close());

  const plain = async () =>
    (
      await Promise.all(
        ['plain-secret', 'plain-var', 'plain-header', 'plain-token'].map((text) =>
          tablesWith(database.db, text),
        ),
      )
    ).flat();
  const opened = async (keys: Parameters<typeof createVault>[0]) => {
    const { db } = database;
    return [
      agentVariables(await requireAgent(db, agentId), createVault(keys)),
      openMcpConfig(createVault(keys), await requireMcpServer(db, 'old')),
    ];
  };
  const whole = [{ KEY: 'plain-secret', EMPTY: '', R: 'plain-var' }, config];

  it('[secrets.no-key] refuse a start without a key when some are stored in the clear', async () => {
    const error = await rejection(checkSecretKeys(database.db, createVault([])));

    expect(error).toBeInstanceOf(SettingsError);
    expect(String(error)).toMatch(
      /PERDURE_SECRET_KEY is not set, but this database has secrets in the clear/,
    );
    expect(await plain()).toEqual(['agents', 'agents', 'mcp_servers', 'mcp_servers']);
  });

  it('[secrets.sealed] are sealed by the first start with a key, and are in no table in the clear from then on', async () => {
    const { db } = database;

    await Promise.all([adoptSecretKeys(db, vault), adoptSecretKeys(db, vault)]);
    await adoptSecretKeys(db, vault);

    expect(await plain()).toEqual([]);
    expect(await opened([one])).toEqual(whole);
    expect((await requireAgent(db, agentId)).extras).toMatchObject({ hidden: true, secrets: { EMPTY: '' } });
  });

  it('[secrets.key] refuse a start with another key, or with none', async () => {
    const refused = async (keys: Parameters<typeof createVault>[0]) =>
      String(await rejection(adoptSecretKeys(database.db, createVault(keys))));

    expect(await refused([two])).toMatch(
      new RegExp(
        `PERDURE_SECRET_KEY is the key ${two.id}, but this database has secrets that are sealed with ${one.id}`,
      ),
    );
    expect(await refused([])).toMatch(
      /PERDURE_SECRET_KEY is not set, but this database has secrets that are sealed/,
    );
    await checkSecretKeys(database.db, vault);
  });

  it('[secrets.rotation] are resealed with a new key, after which the old one is not needed', async () => {
    const { db } = database;
    await adoptSecretKeys(db, createVault([two, one]));
    expect(await opened([two, one])).toEqual(whole);
    expect(String(await rejection(checkSecretKeys(db, createVault([two]))))).toContain(one.id);

    expect(await resealSecrets(db, createVault([two, one]))).toBe(2);
    expect(await resealSecrets(db, createVault([two, one]))).toBe(0);

    await checkSecretKeys(db, createVault([two]));
    expect(await opened([two])).toEqual(whole);
    expect(String(await rejection(checkSecretKeys(db, vault)))).toContain(two.id);
    expect(await plain()).toEqual([]);
  });

  it('[secrets.sealed] are never written in the clear', async () => {
    const { db } = database;
    const agent = {
      name: 'New',
      agentType: 'memgpt_agent',
      system: '',
      model: 'a/b',
      embedding: 'a/b',
      extras,
    } as const;

    expect(String(await rejection(createAgent(db, agent)))).toMatch(
      /secrets\.KEY|R would be stored in the clear/,
    );
    expect(await plain()).toEqual([]);
  });
});
