import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Letta from 'letta-client-1';
import { runCanary } from '../support/runtime/canary.js';
import { lastReturned, lastSaid } from '../support/model-server.js';
import { shareTestStack, type TestStack } from '../support/stack.js';

const models = { model: 'openai/scripted', embedding: 'openai/text-embedding-3-small' };
/** One grey pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';
const image = {
  type: 'image' as const,
  source: { type: 'base64' as const, media_type: 'image/png', data: pixel },
};

describe('images that a client’s tool returned', () => {
  let stack: TestStack;
  let client: Letta;

  beforeAll(async () => {
    stack = await shareTestStack((request, step) => {
      // The images come as the user's: a step is begun by a call, and ended by what it returned.
      if (lastReturned(request) !== '' && step === 0) return { text: 'I see it.' };
      return lastSaid(request).includes('Look') && lastReturned(request) === ''
        ? { call: 'screenshot', args: {} }
        : { text: 'Good.' };
    });
    client = new Letta({ baseURL: stack.url, apiKey: 'none', maxRetries: 0 });
  });

  afterAll(() => stack.close());

  it.each(['letta_v1_agent', 'memgpt_agent'] as const)(
    '[approval.images] reach the model of a %s, are listed, and survive a copy',
    async (agent_type) => {
      const agent = await client.agents.create({ ...models, name: `Sam ${randomUUID()}`, agent_type });
      const client_tools = [{ name: 'screenshot', description: 'Takes a picture.' }];
      const asked = await client.agents.messages.create(agent.id, {
        messages: [{ role: 'user', content: `Look around ${runCanary()}` }],
        client_tools,
        max_steps: 3,
      });
      const request = asked.messages.find((one) => one.message_type === 'approval_request_message');
      const tool_call_id = (request as { tool_call: { tool_call_id: string } }).tool_call.tool_call_id;
      const tool_return = [{ type: 'text' as const, text: `Here it is ${runCanary()}` }, image];
      const answer = await client.agents.messages.create(agent.id, {
        messages: [
          {
            type: 'approval',
            approvals: [{ type: 'tool', tool_call_id, status: 'success', tool_return }],
          },
        ],
        client_tools,
        max_steps: 1,
      });
      const sent = stack.model.requests.findLast((one) => lastReturned(one) !== '')?.messages ?? [];
      const at = sent.findIndex(({ role }) => role === 'tool');
      const exported = await client.agents.exportFile(agent.id);
      const copy = await client.agents.importFile({ file: new File([JSON.stringify(exported)], 'sam.af') });
      const lists = await Promise.all(
        [agent.id, copy.agent_ids[0]!].map((id) => client.agents.messages.list(id, { limit: 50 })),
      );

      expect(sent[at]?.content).toContain('Here it is');
      expect(sent[at + 1]).toMatchObject({
        role: 'user',
        content: [
          { type: 'text', text: expect.stringContaining('screenshot') },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
        ],
      });
      expect(answer.messages.find((one) => one.message_type === 'tool_return_message')).toMatchObject({
        tool_return: `Here it is ${runCanary()}`,
        tool_returns: [{ tool_return }],
      });
      for (const { items } of lists) {
        const listed = items.find((one) => one.message_type === 'tool_return_message');
        expect(listed).toMatchObject({ tool_returns: [{ tool_call_id, status: 'success', tool_return }] });
      }
    },
  );
});
