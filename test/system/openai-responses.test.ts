import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { APIError } from 'openai';
import type { ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses';
import { runCanary } from '../support/runtime/canary.js';
import { anOpenAiAgent, answerTo, openAiPolicy } from '../support/openai-agents.js';
import { createRest, type Rest } from '../support/server/rest.js';
import { shareTestStack, type TestStack } from '../support/stack.js';

describe('an agent as a model of OpenAI’s Responses API', () => {
  let stack: TestStack;
  let rest: Rest;
  let openai: OpenAI;

  beforeAll(async () => {
    stack = await shareTestStack(openAiPolicy);
    rest = createRest(stack.url);
    openai = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey: 'none', maxRetries: 0 });
  });

  afterAll(() => stack.close());

  const anAgent = (fields: object = {}) => anOpenAiAgent(rest, fields);

  const say = (words: string): string => `${words} ${runCanary()}`;

  it.each(['memgpt_agent', 'letta_v1_agent'])(
    '[wire.openai-responses] answers as a %s, and goes on from an answer',
    async (type) => {
      const agent = await anAgent({ agent_type: type });
      const first = await openai.responses.create({ model: agent.id, input: say('Good morning') });
      const next = await openai.responses.create({
        model: agent.id,
        previous_response_id: first.id,
        instructions: 'Be brief.',
        input: [
          { role: 'developer', content: 'Be brief.' },
          { role: 'user', content: [{ type: 'input_text', text: say('Good morning') }] },
          ...(first.output as OpenAI.Responses.ResponseOutputMessage[]),
          { role: 'user', content: [{ type: 'input_text', text: say('Good evening') }] },
        ],
      });

      expect(first).toMatchObject({
        object: 'response',
        status: 'completed',
        model: agent.id,
        error: null,
        output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text' }] }],
        output_text: answerTo('Good morning'),
      });
      expect(first.usage?.total_tokens).toBeGreaterThan(0);
      expect(next).toMatchObject({ output_text: answerTo('Good evening'), previous_response_id: first.id });
      const heard = await rest.read<{ content?: string }[]>(
        'GET',
        `/v1/agents/${agent.id}/messages?order=asc&include_return_message_types=user_message`,
      );
      expect(heard.map(({ content }) => content)).toEqual([say('Good morning'), say('Good evening')]);
      expect(await rest.read('GET', `/v1/runs/${first.id}`)).toMatchObject({ status: 'completed' });
    },
  );

  it('[wire.openai-responses] streams the events that a client puts together to the same response', async () => {
    const agent = await anAgent({ agent_type: 'letta_v1_agent' });
    const request = { model: agent.id, input: say('Speak twice') };
    const whole = await openai.responses.create(request);
    const types: string[] = [];
    let words = '';
    const stream = openai.responses.stream(request);
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'response.output_text.delta') words += event.delta;
    }
    const final = await stream.finalResponse();

    expect(whole.output_text).toBe('I look.I found it.');
    expect(words).toBe(whole.output_text);
    expect(final).toMatchObject({ status: 'completed', output_text: whole.output_text });
    expect(final.output.map(({ type }) => type)).toEqual(['message', 'message']);
    expect(new Set(final.output.map(({ id }) => id)).size).toBe(2);
    expect(types.slice(0, 4)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
    ]);
    expect(types.filter((type) => type === 'response.output_item.done')).toHaveLength(2);
    expect(types.at(-1)).toBe('response.completed');
  });

  it('[wire.openai-format] passes the form of an answer on, and tells the document alone', async () => {
    const agent = await anAgent({ agent_type: 'letta_v1_agent' });
    const schema = { type: 'object', properties: { found: { type: 'string' } } };
    const format = { type: 'json_schema' as const, name: 'found', strict: true, schema };
    const answer = await openai.responses.create({
      model: agent.id,
      input: say('Speak twice'),
      text: { format },
    });

    expect(stack.model.requests.at(-1)).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'found', strict: true, schema } },
    });
    expect(answer.output_text).toBe('I found it.');
    expect(answer.text?.format).toEqual(format);
  });

  it.each([
    ['an unknown agent', { model: 'nobody' }, 404, /There is no agent 'nobody'/],
    ['nothing new', { input: [{ role: 'assistant', content: 'Hi' }] }, 422, /must be the user’s/],
    ['tools', { tools: [{ type: 'web_search' }] }, 422, /body\.tools: the agent has tools/],
    ['the background', { background: true }, 422, /body\.background: .*use POST/],
    ['another’s answer', { previous_response_id: `run-${randomUUID()}` }, 404, /has no response/],
    ['a form that binds no tool', { text: { format: { type: 'json_object' } } }, 422, /body\.text\.format/],
    ['a file', { input: [{ role: 'user', content: [{ type: 'input_file' }] }] }, 422, /body\.input/],
  ])('[wire.openai-responses] refuses %s as OpenAI’s API would', async (_what, fields, status, says) => {
    const agent = await anAgent();
    const request = { model: agent.id, input: say('Hello'), ...fields } as ResponseCreateParamsNonStreaming;
    const problem: unknown = await openai.responses.create(request).catch((error: unknown) => error);

    expect(problem).toBeInstanceOf(APIError);
    expect(problem).toMatchObject({ status, message: expect.stringMatching(says) });
  });

  it('[wire.openai-responses] tells why a turn failed', async () => {
    const agent = await anAgent();
    const request = { model: agent.id, input: say('Refuse') };
    const problem: unknown = await openai.responses.create(request).catch((error: unknown) => error);
    const events = [];
    for await (const event of await openai.responses.create({ ...request, stream: true })) events.push(event);

    expect(problem).toMatchObject({ status: 400, message: expect.stringContaining('OPENAI_API_KEY') });
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: {
        status: 'failed',
        error: { code: 'server_error', message: expect.stringContaining('OPENAI_API_KEY') },
      },
    });
  });
});
