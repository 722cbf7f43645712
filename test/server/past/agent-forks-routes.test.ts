import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { wireAgent } from '../../../server/agents/agents-wire.js';
import { wireBlock } from '../../../server/blocks/blocks-wire.js';
import { startTestServer, type TestServer } from '../test-server.js';

describe('forks over REST', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  const anAgent = () =>
    server.anAgent({ name: 'Ada', tags: ['sea'], memory_blocks: [{ label: 'human', value: 'Sid' }] });

  const fork = (agentId: string, body?: object) =>
    server.call('POST', `/v1/agents/${agentId}/fork`, body === undefined ? {} : { body });

  it('copies an agent as it is now or was at a given time [fork.rest]', async () => {
    const agent = await anAgent();
    const path = `/v1/agents/${agent.id}/core-memory/blocks/human`;
    const sailor = await server.read(wireBlock, 'PATCH', path, { body: { value: 'Sid, a sailor' } });
    const revisions = z.array(z.object({ created_at: z.string() }));
    const [newest] = await server.read(revisions, 'GET', `/v1/blocks/${sailor.id}/revisions`);
    await server.read(wireBlock, 'PATCH', path, { body: { value: 'Sid, a cook' } });

    const now = await server.read(wireAgent, 'POST', `/v1/agents/${agent.id}/fork`, {});
    const then = await server.read(wireAgent, 'POST', `/v1/agents/${agent.id}/fork`, {
      body: { at: newest?.created_at, name: 'Ada at sea' },
    });

    expect(now).toMatchObject({ name: 'Ada', tags: ['sea'], blocks: [{ value: 'Sid, a cook' }] });
    expect(then).toMatchObject({
      name: 'Ada at sea',
      system: agent.system,
      blocks: [{ value: 'Sid, a sailor' }],
    });
    expect(new Set([agent.id, now.id, then.id]).size).toBe(3);
    expect(then.tools.map((tool) => tool.name)).toEqual(agent.tools.map((tool) => tool.name));
  });

  it.each([
    ['an unknown agent', 404, () => fork(`agent-${randomUUID()}`)],
    [
      'an unknown message',
      404,
      async () => fork((await anAgent()).id, { message_id: `message-${randomUUID()}` }),
    ],
    ['an unknown step', 404, async () => fork((await anAgent()).id, { step_id: `step-${randomUUID()}` })],
    ['a future time', 409, async () => fork((await anAgent()).id, { at: '2999-01-01T00:00:00Z' })],
    ['a time before the agent', 409, async () => fork((await anAgent()).id, { at: '1999-01-01T00:00:00Z' })],
    ['an invalid time', 422, async () => fork((await anAgent()).id, { at: 'yesterday' })],
    ['an unknown field', 422, async () => fork((await anAgent()).id, { when: '2026-01-01T00:00:00Z' })],
    [
      'two moments',
      422,
      async () => fork((await anAgent()).id, { at: '2026-01-01T00:00:00Z', step_id: `step-${randomUUID()}` }),
    ],
  ])('refuses %s [fork.refused]', async (_, status, ask) => {
    const answer = await ask();

    expect(answer).toMatchObject({ status, body: { detail: expect.any(String) } });
  });
});
