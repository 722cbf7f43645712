import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packageFile } from '../../stack/processes.js';
import { waitFor } from '../../stack/waiting.js';
import { runCanary } from '../support/canary.js';
import { lastSaid, type Reply } from '../support/model-server.js';
import { createRest, type Rest } from '../support/rest.js';
import { startTestStack, type TestStack } from '../support/stack.js';
import { makeTemporaryDirectory } from '../support/temporary.js';

const fact = 'Mina plays the violin.';

describe('server and worker with an archival store of the user’s own', () => {
  let stack: TestStack;
  let rest: Rest;
  let path: string;

  beforeAll(async () => {
    path = join(makeTemporaryDirectory('store'), 'passages.jsonl');
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
      { PERDURE_ARCHIVAL_STORE: packageFile('examples/archival-stores/flat-file.ts'), PASSAGE_FILE: path },
    );
    rest = createRest(stack.url);
  }, 60_000);

  afterAll(() => stack.close());

  it('[archives.own-store] keep what an agent stores there, and find it', async () => {
    const agent = await rest.read<{ id: string }>('POST', '/v1/agents/', {
      agent_type: 'memgpt_agent',
      model: 'openai/scripted',
      embedding: 'perdure/use-lite',
    });
    const say = (content: string) =>
      rest.read<{ messages: readonly { message_type: string; tool_return?: string }[] }>(
        'POST',
        `/v1/agents/${agent.id}/messages`,
        { messages: [{ role: 'user', content: `${content} ${runCanary()}` }] },
      );

    await say('Please keep this.');
    const written = await waitFor(() => (readFileSync(path, 'utf8').includes(fact) ? true : undefined), {
      timeoutMs: 20_000,
    });
    const { messages } = await say('Which instrument?');
    const found = await rest.read<{ results: readonly { content: string }[] }>(
      'GET',
      `/v1/agents/${agent.id}/archival-memory/search?query=an%20instrument`,
    );

    expect(written).toBe(true);
    const returned = messages.find((message) => message.message_type === 'tool_return_message');
    expect(returned?.tool_return).toContain(fact);
    expect(found.results.map((result) => result.content)).toEqual([fact]);
  });
});
