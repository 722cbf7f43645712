import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { z } from 'zod';
import { issueToolToken } from '../../../schema/tools/tokens.js';
import { startTestServer, type TestServer } from '../test-server.js';

const withId = z.looseObject({ id: z.string() });
const openapi = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The ids of what a stranger's agent has, by path parameter. */
type Ids = Record<string, string>;

let server: TestServer;
let asTool: Record<string, string>;
let own: string;
let strangers: Ids;

beforeAll(async () => {
  server = await startTestServer();
  own = (await server.anAgent({ name: 'own', secrets: { KEY: 'plain-own' } })).id;
  strangers = await aStranger();
  const caller = { agentId: own, turnId: null, stepId: null, toolCallId: null, effectId: null };
  asTool = { 'x-perdure-tool-token': await issueToolToken(server.db, caller, 600_000) };
}, 60_000);
afterAll(() => server.close());

const make = async (method: 'POST' | 'PUT', url: string, body: object) =>
  (await server.read(withId, method, url, { body })).id;

async function aStranger(): Promise<Ids> {
  const agent = await server.anAgent({
    ...{
      name: 'stranger',
      secrets: { KEY: 'plain-secret' },
      memory_blocks: [{ label: 'human', value: 'theirs' }],
    },
    tool_exec_environment_variables: { REGION: 'plain-variable' },
  });
  const url = `/v1/agents/${agent.id}`;
  const config = { mcp_server_type: 'sse', server_url: 'http://127.0.0.1:9', auth_token: 'plain-token' };
  const mcp = await make('POST', '/v1/mcp-servers', { server_name: 'theirs', config });
  const run = await make('POST', `${url}/messages/async`, { messages: [{ role: 'user', content: 'Hello' }] });
  const archive = await make('POST', '/v1/archives', { name: 'theirs' });
  await server.call('PATCH', `${url}/archives/attach/${archive}`);
  const source = await make('POST', '/v1/sources', { name: 'theirs', embedding: 'perdure/use-lite' });
  await server.call('PATCH', `${url}/sources/attach/${source}`);
  const schedule = { type: 'recurring', cron_expression: '0 9 * * 1' };
  const [step_id, job_id] = [`step-${randomUUID()}`, `job-${randomUUID()}`];
  await sql`insert into steps (id, turn_id, thread_id, agent_id, index, state, model)
    values (${step_id}, ${run}, ${agent.id}, ${agent.id}, 0, 'answered', 'a/b')`.execute(server.db);
  await sql`insert into jobs (id, source_id, file_id, file_name) values (${job_id}, ${source}, 'f', 'f')`.execute(
    server.db,
  );
  return {
    agent_id: agent.id,
    block_id: agent.blocks[0]?.id ?? '',
    conversation_id: await make('POST', `/v1/conversations?agent_id=${agent.id}`, {}),
    group_id: await make('POST', '/v1/groups', { agent_ids: [agent.id], description: 'Theirs.' }),
    identity_id: await make('POST', '/v1/identities', {
      ...{ identifier_key: 'them', name: 'Them', identity_type: 'user', agent_ids: [agent.id] },
    }),
    passage_id: await make('POST', `/v1/archives/${archive}/passages`, { text: 'theirs' }),
    scheduled_message_id: await make('POST', `${url}/schedule`, {
      ...{ schedule, messages: [{ role: 'user', content: 'Wake up' }] },
    }),
    ...{ run_id: run, step_id, job_id },
    archive_id: archive,
    source_id: source,
    folder_id: source,
    mcp_server_id: mcp,
    mcp_server_name: 'theirs',
    block_label: 'human',
  };
}

/** Every route of the OpenAPI document, filled with the stranger's ids, or with unknown ones. */
async function routes(): Promise<readonly { method: (typeof methods)[number]; path: string; url: string }[]> {
  const { paths } = await server.read(openapi, 'GET', '/openapi.json');
  return Object.entries(paths).flatMap(([path, operations]) =>
    methods
      .filter((method) => method.toLowerCase() in operations)
      .map((method) => ({
        ...{ method, path },
        url: path.replace(
          /\{(\w+)\}/g,
          (_, name: string) => strangers[name] ?? `${name.replace('_id', '')}-${randomUUID()}`,
        ),
      })),
  );
}

/** All rows except those that only record activity. */
async function everything(): Promise<Readonly<Record<string, string>>> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(
    server.db,
  );
  const told: Record<string, string> = {};
  for (const { name } of rows.filter((row) => !/^(tool_tokens|kysely_|upkeep)/.test(row.name))) {
    const found = await sql<{
      row: string;
    }>`select held::text as row from ${sql.table(name)} as held order by 1`.execute(server.db);
    told[name] = found.rows.map(({ row }) => row).join('\n');
  }
  return told;
}

const isRead = (method: string, path: string) =>
  method === 'GET' || /\/(search|preview-raw-payload)$|\/runs\/\{run_id\}\/stream$/.test(path);

describe('[tools.reach] a running tool', () => {
  it('cannot change anything of a stranger’s through any route', async () => {
    const before = await everything();
    const writes = (await routes()).filter(({ method, path }) => path.includes('{') && !isRead(method, path));
    const refused: string[] = [];
    for (const { method, path, url } of writes) {
      const body = method === 'DELETE' ? {} : { body: { name: 'taken', value: 'taken', text: 'taken' } };
      const { status } = await server.call(method, url, { headers: asTool, ...body });
      if (status !== 403) refused.push(`${method} ${path} ${status}`);
    }

    expect(writes.length).toBeGreaterThan(60);
    expect(refused).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it('cannot refer to a stranger’s things in a body', async () => {
    const message = { messages: [{ role: 'user', content: 'Hello' }] };
    const { agent_id, block_id, archive_id, source_id } = strangers;
    const bodies: readonly (readonly ['POST' | 'PUT' | 'PATCH', string, object])[] = [
      ['POST', '/v1/agents', { block_ids: [block_id] }],
      ['PATCH', `/v1/agents/${own}`, { block_ids: [block_id] }],
      ['PATCH', `/v1/agents/${own}`, { source_ids: [source_id] }],
      ['POST', '/v1/groups', { agent_ids: [agent_id], description: 'Ours.' }],
      ['POST', '/v1/groups', { agent_ids: [own], shared_block_ids: [block_id], description: 'Ours.' }],
      [
        'POST',
        '/v1/groups',
        { agent_ids: [own], manager_config: { manager_type: 'supervisor', manager_agent_id: agent_id } },
      ],
      [
        'POST',
        '/v1/identities',
        { identifier_key: 'k', name: 'n', identity_type: 'user', agent_ids: [agent_id] },
      ],
      ['POST', `/v1/conversations?agent_id=${agent_id ?? ''}`, {}],
      ['POST', '/v1/chat/completions', { model: 'stranger', ...message }],
      ['POST', '/v1/chat/completions', { model: agent_id, ...message }],
      ['PATCH', `/v1/agents/${own}/archives/attach/${archive_id ?? ''}`, {}],
      ['PATCH', `/v1/agents/${own}/core-memory/blocks/attach/${block_id ?? ''}`, {}],
    ];
    const before = await everything();
    const statuses: number[] = [];
    for (const [method, url, body] of bodies) {
      statuses.push((await server.call(method, url, { headers: asTool, body })).status);
    }

    expect(statuses).toEqual(bodies.map(() => 403));
    expect(await everything()).toEqual(before);
  });

  it('cannot set a callback through any route', async () => {
    const body = {
      ...{ callback_url: 'https://x.test', messages: [{ role: 'user', content: 'Hello' }], input: 'Hello' },
      ...{ name: 'x', text: 'x', label: 'x', value: 'x', schedule: { type: 'one-time', scheduled_at: 0 } },
    };
    const ours: Ids = { agent_id: own, conversation_id: own };
    const writes = (await routes()).filter(
      ({ method, path }) => !isRead(method, path) && method !== 'DELETE',
    );
    const taken: string[] = [];
    for (const { method, path } of writes) {
      const url = path.replace(/\{(\w+)\}/g, (_, name: string) => ours[name] ?? 'x');
      const { status } = await server.call(method, url, { headers: asTool, body });
      if (status !== 403) taken.push(`${method} ${path} ${status}`);
    }

    expect(taken).toEqual([]);
    const turns = await sql`select from turns where options->>'callbackUrl' is not null`.execute(server.db);
    expect(turns.rows).toEqual([]);
  });

  it('sees no secrets and no variables in any answer', async () => {
    const reads = (await routes()).filter(({ method, path }) => isRead(method, path));
    const shown: string[] = [];
    for (const { method, path, url } of reads) {
      if (/\/stream$|\/events$/.test(path)) continue;
      const { body } = await server.call(method, url, {
        ...{ headers: asTool },
        ...(method === 'GET' ? {} : { body: { query: 'plain' } }),
      });
      if (/plain-|sealed\.1/.test(JSON.stringify([body]))) shown.push(`${method} ${path}`);
    }

    expect(reads.length).toBeGreaterThan(80);
    expect(shown).toEqual([]);
  });

  it('may change agents that it has created, their groups and their shared blocks', async () => {
    const ask = (method: (typeof methods)[number], url: string, body?: object) =>
      server.call(method, url, { headers: asTool, body });
    const made = withId.parse(
      (await ask('POST', '/v1/agents', { memory_blocks: [{ label: 'plan', value: 'a' }] })).body,
    ).id;
    const fork = withId.parse((await ask('POST', `/v1/agents/${made}/fork`, {})).body).id;
    const group = { agent_ids: [made, fork], description: 'Ours.' };

    const answers = [
      await ask('PATCH', `/v1/agents/${made}`, { description: 'Made.' }),
      await ask('POST', `/v1/agents/${fork}/messages/async`, {
        messages: [{ role: 'user', content: 'Hello' }],
      }),
      await ask('PATCH', `/v1/agents/${fork}/core-memory/blocks/plan`, { value: 'b' }),
      await ask('POST', '/v1/groups', group),
      await ask('DELETE', `/v1/agents/${made}`),
    ];

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });
});
