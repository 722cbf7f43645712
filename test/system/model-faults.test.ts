import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '../../stack/waiting.js';
import { runCanary } from '../support/runtime/canary.js';
import type { ChatRequest, Policy, Reply } from '../support/model-server.js';
import { createRest, type Rest } from '../support/server/rest.js';
import { shareTestStack, type TestStack } from '../support/stack.js';

interface Run {
  readonly id: string;
  readonly status: string;
  readonly stop_reason: string | null;
  readonly metadata: { readonly error?: { readonly type: string; readonly message: string } };
}

interface Step {
  readonly status: string;
  readonly error_type: string | null;
}

interface Response {
  readonly messages: readonly { readonly message_type: string; readonly content?: string }[];
  readonly stop_reason: { readonly stop_reason: string };
  readonly usage: { readonly step_count: number; readonly run_ids: readonly [string] };
  readonly error?: { readonly type: string; readonly message: string };
}

const patience = { timeoutMs: 90_000, everyMs: 50 };

const answer: Reply = {
  call: 'send_message',
  args: { thinking: `I answer. ${runCanary()}`, message: 'Here I am.' },
};

/** Replies of each scripted model, the last one again and again; each test names a model of its own. */
const scripts = new Map<string, Reply[]>();
const requestTimes = new Map<string, number[]>();

const policy: Policy = (request: ChatRequest) => {
  const times = requestTimes.get(request.model) ?? [];
  requestTimes.set(request.model, [...times, Date.now()]);
  const script = scripts.get(request.model);
  if (script === undefined) return new Promise(() => undefined);
  const [next = answer] = script;
  if (script.length > 1) script.shift();
  return next;
};

describe('a model that misbehaves', () => {
  let stack: TestStack;
  let rest: Rest;

  beforeAll(async () => {
    stack = await shareTestStack(policy);
    rest = createRest(stack.url);
  });

  afterAll(async () => {
    await stack.close();
  });

  /** An agent whose model gives these replies in order; none: it never answers. */
  const anAgent = async (...replies: readonly Reply[]) => {
    const model = `scripted-${randomUUID()}`;
    if (replies.length > 0) scripts.set(model, [...replies]);
    const { id } = await rest.read<{ id: string }>('POST', '/v1/agents/', {
      model: `openai/${model}`,
      agent_type: 'memgpt_agent',
      memory_blocks: [{ label: 'human', value: 'Unknown.' }],
    });
    const requests = (): ChatRequest[] => stack.model.requests.filter((request) => request.model === model);
    const path = `/v1/agents/${id}`;
    return { id, path, model, requests };
  };

  const send = (agent: { path: string }, content = 'Hello'): Promise<Response> =>
    rest.read('POST', `${agent.path}/messages`, { messages: [{ role: 'user', content }] });

  const sendAsync = (agent: { path: string }, content = 'Hello'): Promise<Run> =>
    rest.read('POST', `${agent.path}/messages/async`, { messages: [{ role: 'user', content }] });

  const runOf = (id: string): Promise<Run> => rest.read('GET', `/v1/runs/${id}`);

  const stepsOf = (id: string): Promise<Step[]> => rest.read('GET', `/v1/runs/${id}/steps`);

  const ended = async (id: string): Promise<Run> => {
    const run = await waitFor(async () => {
      const now = await runOf(id);
      return ['created', 'running'].includes(now.status) ? undefined : now;
    }, patience);
    if (run === undefined) throw new Error(`run ${id} does not end`);
    return run;
  };

  const stepThatFails = async (id: string): Promise<Step | undefined> =>
    waitFor(async () => (await stepsOf(id)).find((step) => step.error_type !== null), patience);

  it.each<{ what: string; reply: Reply; told: RegExp }>([
    {
      what: 'broken JSON',
      reply: { call: 'core_memory_append', args: ']{ no JSON' },
      told: /arguments/i,
    },
    {
      what: 'a tool that does not exist',
      reply: { call: 'no_such_tool', args: {} },
      told: /no_such_tool/,
    },
    { what: 'no tool call', reply: { text: 'Just words.' }, told: /tool/i },
    { what: 'an empty answer', reply: { text: '' }, told: /empty|nothing/i },
  ])('[turn.bad-answers] tells it of $what, and goes on once it does better', async ({ reply, told }) => {
    const agent = await anAgent(reply, answer);

    const response = await send(agent);

    expect(saidTo(agent.requests()[1])).toMatch(told);
    expect(response.messages.at(-1)).toMatchObject({
      message_type: 'assistant_message',
      content: 'Here I am.',
    });
    expect(response).toMatchObject({ stop_reason: { stop_reason: 'end_turn' }, usage: { step_count: 2 } });
  });

  it('[turn.bad-answers] ends the turn at the third bad answer in a row, with 200', async () => {
    const agent = await anAgent({ text: 'Just words.' });

    const response = await send(agent);

    expect(response).toMatchObject({
      stop_reason: { stop_reason: 'no_tool_call' },
      usage: { step_count: 3 },
    });
    expect(agent.requests()).toHaveLength(3);
    expect(await runOf(response.usage.run_ids[0])).toMatchObject({
      status: 'failed',
      stop_reason: 'no_tool_call',
    });
  });

  it.each([
    { what: 'fails twice', replies: [{ status: 500 }, { status: 503 }, answer], calls: 3 },
    { what: 'cuts its stream', replies: [{ ...answer, cut: true as const }, answer], calls: 2 },
    {
      what: 'answers 200 with an error',
      replies: [{ status: 200, body: { error: { message: 'no' } } }, answer],
      calls: 2,
    },
  ])(
    '[model.retried] [queue.accepted] is called again where its provider $what',
    async ({ replies, calls }) => {
      const agent = await anAgent(...replies);

      const response = await send(agent);

      expect(agent.requests()).toHaveLength(calls);
      expect(response.messages.map((message) => message.message_type)).toEqual([
        'reasoning_message',
        'assistant_message',
      ]);
      expect(response).toMatchObject({ stop_reason: { stop_reason: 'end_turn' }, usage: { step_count: 1 } });
      expect(await stepsOf(response.usage.run_ids[0])).toMatchObject([{ status: 'success' }]);
    },
  );

  it('[model.retry-after] is left alone for as long as its provider asked', async () => {
    const limited = { status: 429, headers: { 'retry-after': '1' } };
    const agent = await anAgent(limited, answer);

    const response = await send(agent);

    const [first = 0, second = 0] = requestTimes.get(agent.model) ?? [];
    expect(second - first).toBeGreaterThanOrEqual(950);
    expect(response).toMatchObject({ stop_reason: { stop_reason: 'end_turn' } });
  });

  it('[turn.refused] [rest.never-5xx] ends the turn at once where its key is refused, with 200', async () => {
    const agent = await anAgent({ status: 401, body: { error: { message: 'Incorrect API key provided' } } });

    const response = await send(agent);

    expect(response).toMatchObject({
      messages: [],
      stop_reason: { stop_reason: 'llm_api_error' },
      error: { type: 'Model.Unauthorized', message: expect.stringMatching(/check OPENAI_API_KEY/) },
    });
    expect(agent.requests()).toHaveLength(1);
    expect(await runOf(response.usage.run_ids[0])).toMatchObject({
      status: 'failed',
      metadata: { error: { type: 'Model.Unauthorized' } },
    });
    expect(await stepsOf(response.usage.run_ids[0])).toMatchObject([
      { status: 'failed', error_type: 'Model.Unauthorized' },
    ]);
  });

  it('[model.retried] [turn.cancel] shows in the run’s steps that it is down, and lets the run be cancelled', async () => {
    const agent = await anAgent({ status: 503 });
    const run = await sendAsync(agent);

    const step = await stepThatFails(run.id);
    const cancelled = await rest.read('POST', `${agent.path}/messages/cancel`, { run_ids: [run.id] });

    expect(step).toMatchObject({ status: 'pending', error_type: 'Model.Unavailable' });
    expect(cancelled).toEqual({ [run.id]: 'cancelled' });
    expect(await runOf(run.id)).toMatchObject({ status: 'cancelled', stop_reason: 'cancelled' });
  });

  it('[queue.accepted] gives every message its turn that came while it was down', async () => {
    const agent = await anAgent({ status: 503 });
    const first = await sendAsync(agent, 'first');
    const second = await sendAsync(agent, 'second');
    await stepThatFails(first.id);

    scripts.set(agent.model, [answer]);

    expect(await ended(first.id)).toMatchObject({ status: 'completed', stop_reason: 'end_turn' });
    expect(await ended(second.id)).toMatchObject({ status: 'completed', stop_reason: 'end_turn' });
    const history = await rest.read<Response['messages']>('GET', `${agent.path}/messages?order=asc`);
    expect(history[0]).toMatchObject({ message_type: 'system_message' });
    expect(history.slice(1).map((message) => message.content ?? message.message_type)).toEqual([
      'first',
      'reasoning_message',
      'Here I am.',
      'second',
      'reasoning_message',
      'Here I am.',
    ]);
  });

  it('[turn.cancel] hangs: the run is cancelled in the middle of the call, and the next message gets its turn', async () => {
    const agent = await anAgent();
    const first = await sendAsync(agent, 'first');
    const second = await sendAsync(agent, 'second');
    await waitFor(() => agent.requests()[0], patience);

    scripts.set(agent.model, [answer]);
    await rest.read('POST', `${agent.path}/messages/cancel`, { run_ids: [first.id] });

    expect(await ended(first.id)).toMatchObject({ status: 'cancelled' });
    expect(await ended(second.id)).toMatchObject({ status: 'completed', stop_reason: 'end_turn' });
    expect(agent.requests()).toHaveLength(2);
  });
});

/** What a model is told after its own last answer. */
function saidTo(request: ChatRequest | undefined): string {
  const messages = request?.messages ?? [];
  const own = messages.findLastIndex((message) => message.role === 'assistant');
  return JSON.stringify(messages.slice(own + 1).map((message) => message.content));
}
