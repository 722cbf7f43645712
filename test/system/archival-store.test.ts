import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '../../stack/waiting.js';
import { runCanary } from '../support/runtime/canary.js';
import { lastSaid, type Reply } from '../support/model-server.js';
import { compileForRun } from '../support/run/compiled.js';
import { createRest, type Rest } from '../support/server/rest.js';
import { startTestStack, type TestStack } from '../support/stack.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

const fact = 'Mina plays the violin.';

describe('server and worker with an archival store of the user’s own', () => {
  let stack: TestStack;
  let rest: Rest;
  let path: string;
  let away: string;

  beforeAll(async () => {
    const directory = makeTemporaryDirectory('store');
    path = join(directory, 'passages.jsonl');
    away = join(directory, 'away');
    stack = await startTestStack(
      (request, step): Reply => {
        const thinking = `I think of ${runCanary()}.`;
        if (step > 0) return { call: 'send_message', args: { thinking, message: 'Done.' } };
        return lastSaid(request).includes('instrument')
          ? {
              call: 'archival_memory_search',
              args: { thinking, query: 'an instrument', request_heartbeat: true },
            }
          : { call: 'archival_memory_insert', args: { thinking, content: fact, request_heartbeat: true } };
      },
      {
        PERDURE_ARCHIVAL_STORE: await compileForRun('test/support/archives/failing-passage-store.ts'),
        ...{ PASSAGE_FILE: path, AWAY: away },
      },
    );
    rest = createRest(stack.url);
  });

  afterAll(() => stack.close());

  async function anAgent() {
    const { id } = await rest.read<{ id: string }>('POST', '/v1/agents/', {
      agent_type: 'memgpt_agent',
      model: 'openai/scripted',
      embedding: 'perdure/use-lite',
    });
    const say = (content: string) =>
      rest.read<{ messages: readonly { message_type: string; tool_return?: string }[] }>(
        'POST',
        `/v1/agents/${id}/messages`,
        { messages: [{ role: 'user', content: `${content} ${runCanary()}` }] },
      );
    return { say, search: `/v1/agents/${id}/archival-memory/search?query=an%20instrument` };
  }

  it('[archives.own-store] keep what an agent stores there, and find it', async () => {
    const { say, search } = await anAgent();

    await say('Please keep this.');
    const written = await waitFor(() => (readFileSync(path, 'utf8').includes(fact) ? true : undefined), {
      timeoutMs: 90_000,
    });
    const { messages } = await say('Which instrument?');
    const found = await rest.read<{ results: readonly { content: string }[] }>('GET', search);

    expect(written).toBe(true);
    const returned = messages.find((message) => message.message_type === 'tool_return_message');
    expect(returned?.tool_return).toContain(fact);
    expect(found.results.map((result) => result.content)).toEqual([fact]);
  });

  it('[archives.outage] are told of a store that is away: a turn tries again, REST answers 503', async () => {
    const { say, search } = await anAgent();
    await say('Please keep this.');

    writeFileSync(away, runCanary());
    const { messages } = await say('Which instrument?');
    const wasAway = !existsSync(away);
    writeFileSync(away, runCanary());
    const refused = await rest.call('GET', search);

    expect(wasAway).toBe(true);
    const returned = messages.find((message) => message.message_type === 'tool_return_message');
    expect(returned?.tool_return).toContain(fact);
    expect(refused.status).toBe(503);
    expect(JSON.stringify(refused.body)).toContain('The archival store (PERDURE_ARCHIVAL_STORE) failed');
    expect(JSON.stringify(refused.body)).not.toContain(runCanary());
  });
});
