import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { inTransaction } from '../../../schema/db/database.js';
import { fingerprintOf } from '../../../schema/threads/epoch-fingerprint.js';
import { attachedBlocks, startEpoch } from '../../../schema/threads/epochs.js';
import { loadLoopAgent } from '../../../schema/threads/loop-agent.js';
import { wireContextOverview } from '../../../server/threads/context-overview-wire.js';
import { startTestServer, type TestServer } from '../test-server.js';

const extension = { name: 'own', version: '1', compiles: true, decides: false, tools: [] };

describe('the context overview', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ extensions: [extension] });
  });

  afterAll(async () => {
    await server.close();
  });

  /** Begins an epoch with this memory in its prompt, as a worker would. */
  async function beginEpoch(agentId: string, memory: string): Promise<void> {
    await inTransaction(server.db, async (tx) => {
      const agent = await loadLoopAgent(tx, { agentId, threadId: agentId, turnId: '' });
      if (agent === undefined) throw new Error('no agent');
      const blocks = await attachedBlocks(tx, { id: agentId, agentId });
      const epoch = {
        id: `epoch-${randomUUID()}`,
        prefix: `<memory_blocks>\n${memory}\n</memory_blocks>`,
        tools: [],
        fingerprint: fingerprintOf(agent, blocks, agent.extension === null ? undefined : extension),
        figures: { recallMessages: 0, archivalPassages: 0 },
        noticeCharacters: 0,
      };
      await startEpoch(tx, agentId, epoch, []);
    });
  }

  const overviewOf = async (agentId: string) =>
    server.read(wireContextOverview, 'GET', `/v1/agents/${agentId}/context`);

  it('[context.extension] shows the extension’s compiled prompt while it is current', async () => {
    const { id } = await server.anAgent({ metadata: { perdure_extension: 'own' } });
    const unknown = { status: 409, body: { detail: expect.stringContaining("extension 'own'") } };
    expect(await server.call('GET', `/v1/agents/${id}/context`)).toMatchObject(unknown);

    await beginEpoch(id, 'Compiled by its own.');

    expect(await overviewOf(id)).toMatchObject({ core_memory: expect.stringContaining('by its own') });
    await server.call('PATCH', `/v1/agents/${id}`, { body: { system: 'Be another.' } });
    expect(await server.call('GET', `/v1/agents/${id}/context`)).toMatchObject(unknown);
  });

  it('[context.extension] recompiles on request although the extension’s prompt cannot be previewed', async () => {
    const { id } = await server.anAgent({ metadata: { perdure_extension: 'own' } });
    await beginEpoch(id, 'Compiled by its own.');

    expect(await server.call('POST', `/v1/agents/${id}/recompile?dry_run=true`)).toMatchObject({
      status: 409,
    });
    expect(await overviewOf(id)).toMatchObject({ core_memory: expect.stringContaining('by its own') });
    const response = await server.app.inject({ method: 'POST', url: `/v1/agents/${id}/recompile` });

    expect([response.statusCode, response.body]).toEqual([200, expect.stringContaining("extension 'own'")]);
    expect(await server.call('GET', `/v1/agents/${id}/context`)).toMatchObject({ status: 409 });
  });

  it('[context.extension] replaces a prompt whose instructions have changed', async () => {
    const { id } = await server.anAgent({ memory_blocks: [{ label: 'human', value: 'Bob.' }] });
    await beginEpoch(id, 'Older.');
    expect((await overviewOf(id)).core_memory).toContain('Older.');

    await server.call('PATCH', `/v1/agents/${id}`, { body: { system: 'Be another.' } });

    const { core_memory: memory, system_prompt: system } = await overviewOf(id);
    expect([memory, system]).toEqual([expect.stringContaining('Bob.'), 'Be another.']);
  });
});
