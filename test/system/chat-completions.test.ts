import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { APIError } from 'openai';
import { runCanary } from '../support/runtime/canary.js';
import { lastSaid } from '../support/model-server.js';
import { anOpenAiAgent, answerTo, openAiPolicy } from '../support/openai-agents.js';
import { createRest, type Rest } from '../support/server/rest.js';
import { shareTestStack, type TestStack } from '../support/stack.js';

/** How long the model pauses in the middle of an answer to "Good evening", in ms, so that its fragments are told apart. */
const pauseMs = 300;

describe('an agent as a model of OpenAI’s API', () => {
  let stack: TestStack;
  let rest: Rest;
  let openai: OpenAI;

  beforeAll(async () => {
    stack = await shareTestStack(openAiPolicy);
    stack.model.onHalfway = async (request) => {
      if (lastSaid(request).includes('evening')) await delay(pauseMs);
    };
    rest = createRest(stack.url);
    openai = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey: 'none' });
  });

  afterAll(() => stack.close());

  const anAgent = (fields: object = {}) => anOpenAiAgent(rest, fields);

  const user = (content: string) => ({ role: 'user' as const, content: `${content} ${runCanary()}` });

  it.each(['memgpt_agent', 'letta_v1_agent'])(
    '[wire.openai] answers as a %s, by id and by name',
    async (type) => {
      const agent = await anAgent({ agent_type: type });

      const byId = await openai.chat.completions.create({
        model: agent.id,
        messages: [user('Good morning')],
      });
      const byName = await openai.chat.completions.create({
        model: agent.name,
        messages: [
          { role: 'system', content: 'Be brief.' },
          user('Good morning'),
          { role: 'assistant', content: answerTo('Good morning') },
          user('Good evening'),
        ],
      });

      expect(byId).toMatchObject({
        object: 'chat.completion',
        model: agent.id,
        choices: [
          {
            index: 0,
            finish_reason: 'stop',
            message: { role: 'assistant', content: answerTo('Good morning') },
          },
        ],
        usage: { total_tokens: expect.any(Number) },
      });
      expect(byId.usage?.total_tokens).toBeGreaterThan(0);
      expect(byName.choices[0]?.message.content).toBe(answerTo('Good evening'));
      // Only what the agent had not heard was said to it.
      const heard = await rest.read<{ message_type: string; content?: string }[]>(
        'GET',
        `/v1/agents/${agent.id}/messages?order=asc&include_return_message_types=user_message`,
      );
      expect(heard.map(({ content }) => content)).toEqual([
        user('Good morning').content,
        user('Good evening').content,
      ]);
      expect(await rest.read('GET', `/v1/runs/${byId.id}`)).toMatchObject({ status: 'completed' });
    },
  );

  it('[wire.openai] lists agents as models for OpenAI’s clients, and models for others', async () => {
    const older = await anAgent();
    const agent = await anAgent();
    const hidden = await anAgent({ hidden: true });

    const { data: listed } = await openai.models.list();
    const models = await rest.read<{ handle: string }[]>('GET', '/v1/models');
    const answer = await openai.chat.completions.create({
      model: listed.find((model) => model.id === agent.id)?.id ?? 'none',
      messages: [user('Good morning')],
    });

    expect(listed).toContainEqual({
      id: agent.id,
      object: 'model',
      created: expect.any(Number),
      owned_by: 'perdure',
      name: agent.name,
    });
    expect(listed.slice(0, 2).map(({ id }) => id)).toEqual([agent.id, older.id]);
    expect(listed.map(({ id }) => id)).not.toContain(hidden.id);
    expect(models.map(({ handle }) => handle)).toContain('perdure/demo');
    expect(answer.choices[0]?.message.content).toContain('to you too');
  });

  it('[wire.openai] streams the answer in fragments, with usage for those who ask', async () => {
    const agent = await anAgent();
    const stream = await openai.chat.completions.create({
      model: agent.id,
      messages: [user('Good evening')],
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    const words = chunks.flatMap(({ choices }) => choices[0]?.delta.content ?? '');

    expect(words.join('')).toBe(answerTo('Good evening'));
    expect(words.filter((word) => word !== '').length).toBeGreaterThan(1);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason ?? null).filter(Boolean)).toEqual(['stop']);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    expect(new Set(chunks.map(({ id, object }) => `${id} ${object}`)).size).toBe(1);
  });

  it('[wire.first-token] tells how long a run’s first word took, streamed or not', async () => {
    const agent = await anAgent();
    const request = { model: agent.id, messages: [user('Good evening')] };
    const whole = await openai.chat.completions.create(request);
    const run = await rest.read<{ ttft_ns: number; created_at: string; completed_at: string }>(
      'GET',
      `/v1/runs/${whole.id}`,
    );
    const tookNs = (Date.parse(run.completed_at) - Date.parse(run.created_at)) * 1e6;

    expect(run.ttft_ns).toBeGreaterThan(0);
    // The answer pauses halfway.
    expect(run.ttft_ns).toBeLessThan(tookNs - pauseMs * 0.9e6);
  });

  it('[wire.openai] gives what the agent says in several messages as paragraphs, without its calls', async () => {
    const agent = await anAgent({ agent_type: 'letta_v1_agent' });
    const request = { model: agent.id, messages: [user('Speak twice')] };
    const whole = await openai.chat.completions.create({ ...request, temperature: 0 }, { maxRetries: 0 });
    const fragments = await openai.chat.completions.create({ ...request, stream: true });
    let streamed = '';
    for await (const chunk of fragments) streamed += chunk.choices[0]?.delta.content ?? '';

    expect(whole.choices[0]?.message.content).toBe('I look.\n\nI found it.');
    expect(streamed).toBe(whole.choices[0]?.message.content);
  });

  it('[wire.openai-format] has the model answer in the form that is asked for, and tells the document alone', async () => {
    const agent = await anAgent({ agent_type: 'letta_v1_agent' });
    const response_format = {
      type: 'json_schema' as const,
      json_schema: { name: 'answer', strict: true, schema: { type: 'object', default: null } },
    };
    const request = { model: agent.id, messages: [user('Speak twice')], response_format };
    const whole = await openai.chat.completions.create(request);
    const asked = stack.model.requests.at(-1);
    const fragments = await openai.chat.completions.create({ ...request, stream: true });
    let streamed = '';
    for await (const chunk of fragments) streamed += chunk.choices[0]?.delta.content ?? '';
    const plain = await openai.chat.completions.create({ model: agent.id, messages: [user('Good morning')] });

    expect(asked).toMatchObject({ response_format });
    expect(whole.choices[0]?.message.content).toBe('I found it.');
    expect(streamed).toBe('I found it.');
    expect(plain.choices[0]?.message.content).toBe(answerTo('Good morning'));
    expect(stack.model.requests.at(-1)).not.toHaveProperty('response_format');
  });

  it.each([
    ['an unknown agent', { model: `agent-${randomUUID()}` }, 404, /not found/],
    ['an unknown name', { model: 'nobody' }, 404, /There is no agent 'nobody'/],
    ['nothing new', { messages: [{ role: 'assistant', content: 'Hi' }] }, 422, /must be the user’s/],
    [
      'tools',
      { tools: [{ type: 'function', function: { name: 'f' } }] },
      422,
      /body\.tools: the agent has tools/,
    ],
    ['several answers', { n: 2 }, 422, /body\.n: an agent gives one answer/],
    [
      'a form that binds no tool',
      { response_format: { type: 'json_object' } },
      422,
      /body\.response_format: agent agent-\S+ speaks by calling a tool/,
    ],
    ['an unknown form', { response_format: { type: 'xml' } }, 422, /body\.response_format/],
  ])('[wire.openai] refuses %s as OpenAI’s API would', async (_what, fields, status, says) => {
    const agent = await anAgent();
    const request = { model: agent.id, messages: [user('Hello')], ...fields };
    const problem: unknown = await openai.chat.completions
      .create(request as OpenAI.Chat.ChatCompletionCreateParamsNonStreaming)
      .catch((error: unknown) => error);

    expect(problem).toBeInstanceOf(APIError);
    expect(problem).toMatchObject({ status, message: expect.stringMatching(says) });
  });

  it('[wire.openai] tells why a turn failed, and is not asked again', async () => {
    const agent = await anAgent();
    const request = { model: agent.id, messages: [user('Refuse')] };
    const problem: unknown = await openai.chat.completions.create(request).catch((error: unknown) => error);
    const stream = await openai.chat.completions.create({ ...request, stream: true });
    const broken: unknown = await (async () => {
      for await (const chunk of stream) expect(chunk.object).toBe('chat.completion.chunk');
    })().catch((error: unknown) => error);

    expect(problem).toMatchObject({ status: 400, message: expect.stringContaining('OPENAI_API_KEY') });
    expect(broken).toMatchObject({ message: expect.stringContaining('OPENAI_API_KEY') });
    expect(await rest.read<unknown[]>('GET', `/v1/runs?agent_id=${agent.id}`)).toHaveLength(2);
  });
});
