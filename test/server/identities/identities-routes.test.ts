import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { wireAgent } from '../../../server/agents/agents-wire.js';
import { wireBlock } from '../../../server/blocks/blocks-wire.js';
import { wireIdentity } from '../../../server/identities/identities-wire.js';
import { startTestServer, type TestServer } from '../test-server.js';

type WireIdentity = z.infer<typeof wireIdentity>;

describe('identities over REST', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(() => server.close());

  const key = () => `key-${randomUUID()}`;
  const retrieve = (id: string) => server.read(wireIdentity, 'GET', `/v1/identities/${id}`);

  function anIdentity(body: object = {}): Promise<WireIdentity> {
    return server.read(wireIdentity, 'POST', '/v1/identities/', {
      body: { identifier_key: key(), name: 'Bob', identity_type: 'user', ...body },
    });
  }

  it('[identities.rest] creates, reads, changes, counts and deletes identities, and keeps their agents', async () => {
    const agent = await server.anAgent({ memory_blocks: [{ label: 'human', value: 'Bob.' }] });
    const before = await server.read(z.number(), 'GET', '/v1/identities/count');
    const properties = [{ key: 'plan', value: 'pro', type: 'string' }];
    const made = await anIdentity({ agent_ids: [agent.id], block_ids: [agent.blocks[0]?.id], properties });

    expect(made).toMatchObject({
      ...{ id: expect.stringMatching(/^identity-/), name: 'Bob', identity_type: 'user', project_id: null },
      ...{ agent_ids: [agent.id], block_ids: [agent.blocks[0]?.id], properties },
    });
    expect(await retrieve(made.id)).toEqual(made);
    const changed = await server.read(wireIdentity, 'PATCH', `/v1/identities/${made.id}`, {
      body: { name: 'Rob', agent_ids: [] },
    });
    expect(changed).toEqual({ ...made, name: 'Rob', agent_ids: [] });
    expect(await server.read(z.number(), 'GET', '/v1/identities/count')).toBe(before + 1);
    expect(await server.call('DELETE', `/v1/identities/${made.id}`)).toMatchObject({ status: 200 });
    expect(await server.call('GET', `/v1/identities/${made.id}`)).toMatchObject({ status: 404 });
    expect(await server.call('GET', `/v1/agents/${agent.id}`)).toMatchObject({ status: 200 });
  });

  it('[identities.rest] requires a unique key in each project and upserts by it', async () => {
    const identifier_key = key();
    const first = await anIdentity({ identifier_key });
    const body = { identifier_key, name: 'Rob', identity_type: 'org' };

    expect(await server.call('POST', '/v1/identities/', { body })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining(identifier_key) },
    });
    const elsewhere = await anIdentity({ identifier_key, project_id: 'p1' });
    expect(elsewhere.id).not.toBe(first.id);
    const upserted = await server.read(wireIdentity, 'PUT', '/v1/identities/', { body });
    expect(upserted).toEqual({ ...first, name: 'Rob', identity_type: 'org' });
    const third = await anIdentity();
    const taking = { body: { identifier_key } };
    expect(await server.call('PATCH', `/v1/identities/${third.id}`, taking)).toMatchObject({ status: 409 });
  });

  it('[identities.rest] treats an empty project id as absent', async () => {
    const [first, other] = [await anIdentity(), await anIdentity({ project_id: '' })];
    const { identifier_key } = first;
    const body = { identifier_key, name: 'Rob', identity_type: 'user', project_id: '' };

    expect(other.project_id).toBeNull();
    expect(await server.read(wireIdentity, 'PUT', '/v1/identities/', { body })).toEqual({
      ...first,
      name: 'Rob',
    });
    const taking = { body: { identifier_key } };
    expect(await server.call('PATCH', `/v1/identities/${other.id}`, taking)).toMatchObject({ status: 409 });
  });

  it('[identities.rest] gives a contested key to one identity and answers the other with 409', async () => {
    const taking = { body: { identifier_key: key() } };
    const both = [await anIdentity(), await anIdentity()];

    const answers = await Promise.all(
      both.map(({ id }) => server.call('PATCH', `/v1/identities/${id}`, taking)),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('[identities.agents] finds blocks by identity', async () => {
    const agent = await server.anAgent({ memory_blocks: [{ label: 'human', value: 'Bob.' }] });
    const blockId = agent.blocks[0]?.id;
    const [bob, eve] = [await anIdentity({ block_ids: [blockId] }), await anIdentity()];
    const of = async (query: string) =>
      (await server.read(wireBlock.array(), 'GET', `/v1/blocks/?${query}`)).map(({ id }) => id);

    expect(await of(`identity_id=${bob.id}`)).toEqual([blockId]);
    expect(await of(`identifier_keys=${bob.identifier_key}&identifier_keys=x`)).toEqual([blockId]);
    expect(await of(`identity_id=${eve.id}`)).toEqual([]);
  });

  it('[identities.rest] sets properties one by one', async () => {
    const { id } = await anIdentity({ properties: [{ key: 'a', value: 1, type: 'number' }] });
    const body = [
      { key: 'a', value: true, type: 'boolean' },
      { key: 'b', value: { c: 1 }, type: 'json' },
    ];
    await server.call('PUT', `/v1/identities/${id}/properties`, { body });

    expect((await retrieve(id)).properties).toEqual(body);
    const wrong = { body: [{ key: 'a', value: 1, type: 'date' }] };
    expect(await server.call('PUT', `/v1/identities/${id}/properties`, wrong)).toMatchObject({ status: 422 });
  });

  it('[identities.rest] lists identities by page, type and key', async () => {
    const name = randomUUID();
    const made = [];
    for (const identity_type of ['user', 'org', 'user']) made.push(await anIdentity({ name, identity_type }));
    const find = async (query: string) =>
      (await server.read(wireIdentity.array(), 'GET', `/v1/identities/?name=${name}&${query}`)).map(
        ({ id }) => id,
      );
    const newest = made.map(({ id }) => id).reverse();

    expect(await find('')).toEqual(newest);
    expect(await find('limit=2')).toEqual(newest.slice(0, 2));
    expect(await find(`limit=2&after=${newest[1] ?? ''}`)).toEqual(newest.slice(2));
    expect(await find('identity_type=org')).toEqual([newest[1]]);
    expect(await find(`identifier_key=${made[0]?.identifier_key ?? ''}`)).toEqual([newest[2]]);
  });

  it('[identities.agents] links agents and identities, and finds agents by identity', async () => {
    const [bob, eve] = [await anIdentity(), await anIdentity()];
    const agent = await server.anAgent({ identity_ids: [bob.id] });
    const of = async (query: string) =>
      (await server.read(wireAgent.array(), 'GET', `/v1/agents?${query}`)).map(({ id }) => id);

    expect(agent).toMatchObject({
      identity_ids: [bob.id],
      identities: [{ id: bob.id, agent_ids: [agent.id] }],
    });
    expect(await of(`identity_id=${bob.id}`)).toEqual([agent.id]);
    expect(await of(`identifier_keys=${bob.identifier_key}&identifier_keys=x`)).toEqual([agent.id]);
    expect(await of(`identity_id=${eve.id}`)).toEqual([]);
    const changed = await server.read(wireAgent, 'PATCH', `/v1/agents/${agent.id}`, {
      body: { identity_ids: [eve.id] },
    });
    expect(changed.identity_ids).toEqual([eve.id]);
    const attach = (what: string, id: string) =>
      server.call('PATCH', `/v1/agents/${agent.id}/identities/${what}/${id}`);
    for (const twice of [1, 2])
      expect([twice, (await attach('attach', bob.id)).status]).toEqual([twice, 200]);
    expect((await retrieve(bob.id)).agent_ids).toEqual([agent.id]);
    await attach('detach', bob.id);
    expect((await retrieve(bob.id)).agent_ids).toEqual([]);
    const nobody = `identity-${randomUUID()}`;
    expect(await attach('attach', nobody)).toMatchObject({ status: 404 });
    expect(await server.call('POST', '/v1/agents', { body: { identity_ids: [nobody] } })).toMatchObject({
      status: 404,
    });
  });
});
