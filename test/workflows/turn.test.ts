import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ModelRequest } from '../../core/models/model.js';
import { WorldFailure } from '../../core/failures.js';
import { getAgentBlock } from '../../schema/blocks/agent-blocks.js';
import { listMessages } from '../../schema/threads/messages.js';
import { listSteps } from '../../schema/turns/steps.js';
import { readEvents } from '../../schema/turns/events.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

describe('a turn', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker();
  });

  afterAll(async () => {
    expect(runtime.log).toEqual([]);
    await runtime.close();
  });

  const bodies = async (agentId: string) =>
    (await listMessages(runtime.db, { threadId: agentId }, {})).map((message) => message.body);

  it('edits memory over several heartbeat steps and then answers [turn.heartbeat] [turn.terminal]', async () => {
    const agent = await runtime.anAgent();
    models.script(
      callOf('core_memory_replace', {
        thinking: 'They said their name.',
        label: 'human',
        old_content: 'The human has not said their name.',
        new_content: 'The human is called Shilpa.',
        request_heartbeat: true,
      }),
      saying('Nice to meet you, Shilpa.'),
    );

    const turn = await runtime.tell(agent, 'My name is Shilpa.');

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 2 });
    expect((await getAgentBlock(runtime.db, agent.id, 'human')).value).toBe('The human is called Shilpa.');
    expect((await bodies(agent.id)).map((body) => body.kind)).toEqual([
      'user',
      'assistant',
      'tool',
      'heartbeat',
      'assistant',
      'tool',
    ]);
  });

  it('separates thinking from arguments [turn.thinking]', async () => {
    const agent = await runtime.anAgent();
    models.script(callOf('send_message', { thinking: 'Be kind.', message: 'Hello.' }));

    await runtime.tell(agent, 'Hi.');

    const [, answer] = await bodies(agent.id);
    expect(answer).toMatchObject({ kind: 'assistant', reasoning: 'Be kind.', nativeReasoning: false });
    expect(answer).toHaveProperty('toolCalls.0.arguments', '{"message":"Hello."}');
    expect(models.requests.at(-1)?.tools[0]?.parameters.properties).toHaveProperty('thinking');
  });

  it('gives the agent another step after a failed tool, with the reason [turn.failed-tool]', async () => {
    const agent = await runtime.anAgent();
    models.script(
      callOf('core_memory_replace', { label: 'human', old_content: 'nowhere', new_content: 'x' }),
      saying('I could not find that.'),
    );

    const turn = await runtime.tell(agent, 'Change what is not there.');

    expect(turn).toMatchObject({ stopReason: 'end_turn', steps: 2 });
    expect(await bodies(agent.id)).toContainEqual(
      expect.objectContaining({ kind: 'tool', status: 'error', content: expect.stringContaining('nowhere') }),
    );
  });

  it.each([
    ['broken JSON', callOf('send_message', '{"message": "x", '.repeat(2) + '}}{'), 'invalid_tool_call'],
    ['an unknown tool', callOf('launch_rocket', {}), 'invalid_tool_call'],
    ['missing arguments', callOf('core_memory_append', { label: 'human' }), 'invalid_tool_call'],
    ['no tool call', { text: 'Just text.' }, 'no_tool_call'],
    ['an empty answer', {}, 'invalid_llm_response'],
  ])(
    'reports %s to the model and ends after the third in a row [turn.bad-answers]',
    async (_, answer, reason) => {
      const agent = await runtime.anAgent();
      models.script(answer, answer, answer);

      const turn = await runtime.tell(agent, 'Go.');

      expect(turn).toMatchObject({ state: 'failed', stopReason: reason, steps: 3 });
      expect((await bodies(agent.id)).filter((body) => body.kind === 'heartbeat')).toHaveLength(2);
    },
  );

  it('continues after a bad answer that the model corrects [turn.bad-answers]', async () => {
    const agent = await runtime.anAgent();
    models.script({ text: 'Just text.' }, saying('Corrected.'));

    const turn = await runtime.tell(agent, 'Go.');

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 2 });
  });

  it('repairs arguments that are almost JSON [tool.arguments]', async () => {
    const agent = await runtime.anAgent();
    models.script(callOf('send_message', "{message: 'Almost JSON',}"));

    const turn = await runtime.tell(agent, 'Go.');

    expect(turn).toMatchObject({ stopReason: 'end_turn', steps: 1 });
    expect(await bodies(agent.id)).toContainEqual(
      expect.objectContaining({
        toolCalls: [expect.objectContaining({ arguments: '{"message":"Almost JSON"}' })],
      }),
    );
  });

  it('never exceeds its step limit [turn.max-steps]', async () => {
    const agent = await runtime.anAgent();
    const append = callOf('core_memory_append', {
      label: 'human',
      content: 'again',
      request_heartbeat: true,
    });
    models.script(append, append);

    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'Loop.' }],
      options: { maxSteps: 2 },
    });
    const ended = await runtime.turns.result(turn.id);

    expect(ended).toMatchObject({ state: 'completed', stopReason: 'max_steps', steps: 2 });
  });

  it('refuses a call that breaks a tool rule and forces the prescribed tool [turn.tool-rules]', async () => {
    const agent = await runtime.anAgent({
      toolRules: [
        { kind: 'run_first', tool: 'core_memory_append' },
        { kind: 'exit_loop', tool: 'send_message' },
        { kind: 'continue_loop', tool: 'core_memory_append' },
      ],
    });
    models.script(
      saying('Too early.'),
      callOf('core_memory_append', { label: 'human', content: 'Noted.' }),
      saying('Now.'),
    );
    const asked = models.requests.length;

    const turn = await runtime.tell(agent, 'Go.');

    expect(turn).toMatchObject({ stopReason: 'end_turn', steps: 3 });
    expect(models.requests[asked]?.toolChoice).toEqual({ name: 'core_memory_append' });
    expect(await bodies(agent.id)).toContainEqual(
      expect.objectContaining({ status: 'error', content: expect.stringContaining('[ToolConstraintError]') }),
    );
  });

  it('ends with plain text for an agent with native tool calls [turn.plain-text]', async () => {
    const agent = await runtime.anAgent({ agentType: 'letta_v1_agent' });
    models.script(callOf('memory_insert', { label: 'human', new_string: 'Likes tea.' }), {
      text: 'I noted that you like tea.',
      reasoning: 'Native thought.',
    });

    const turn = await runtime.tell(agent, 'I like tea.');

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 2 });
    const asked = models.requests.at(-1) as ModelRequest;
    expect(asked.toolChoice).toBe('auto');
    expect(asked.tools[0]?.parameters.properties).not.toHaveProperty('request_heartbeat');
    expect((await bodies(agent.id)).map((body) => body.kind)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
  });

  it('stores the usage of each step [model.usage]', async () => {
    const agent = await runtime.anAgent();
    const usage = {
      promptTokens: 100,
      completionTokens: 10,
      totalTokens: 110,
      cachedTokens: 64,
      reasoningTokens: 3,
    };
    models.script({ ...saying('Hi.'), usage });

    const turn = await runtime.tell(agent, 'Hi.');

    const [step] = await listSteps(runtime.db, { turnId: turn.id }, {});
    expect(step).toMatchObject({ state: 'answered', usage, finishReason: 'tool_calls' });
  });

  it('retries a failing provider and reports it in events [model.retried] [turn.new-attempt]', async () => {
    const agent = await runtime.anAgent();
    models.script(
      new WorldFailure('Model.RateLimited', 'Too many requests.', {
        retryable: true,
        retryAfterMs: 20,
        status: 429,
      }),
      new WorldFailure('Model.Unavailable', 'Connection lost.', { retryable: true }),
      saying('Here I am.'),
    );
    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'Are you there?' }],
      options: { streamTokens: true },
    });

    const ended = await runtime.turns.result(turn.id);

    expect(ended).toMatchObject({ state: 'completed', steps: 1 });
    const events = (await readEvents(runtime.db, turn.id, 0)).map(({ event }) => event);
    expect(events.filter((event) => event.kind === 'retrying').map((event) => event.failure)).toEqual([
      'Model.RateLimited',
      'Model.Unavailable',
    ]);
    expect(
      events.filter((event) => event.kind === 'attempt_abandoned').map((event) => event.attempt),
    ).toEqual([1, 2]);
    const deltas = events.filter((event) => event.kind === 'delta');
    const answer = events.find((event) => event.kind === 'message');
    expect(new Set(deltas.map((event) => event.messageId))).toEqual(new Set([answer?.messageId]));
    expect(events.at(-1)).toMatchObject({ kind: 'ended', stopReason: 'end_turn' });
  });

  it('fails at once when credentials or requests are refused [turn.refused]', async () => {
    const agent = await runtime.anAgent();
    models.script(
      new WorldFailure('Model.Unauthorized', 'Set OPENAI_API_KEY.', { retryable: false, status: 401 }),
    );

    const turn = await runtime.tell(agent, 'Hi.');

    expect(turn).toMatchObject({
      state: 'failed',
      stopReason: 'llm_api_error',
      error: { type: 'Model.Unauthorized', message: 'Set OPENAI_API_KEY.' },
    });
  });

  it('writes events without gaps [rest.resume-stream]', async () => {
    const agent = await runtime.anAgent();
    models.script(saying('One.'));
    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'Count.' }],
      options: { streamTokens: true },
    });

    const seen: number[] = [];
    for await (const logged of runtime.turns.watch(turn.id)) seen.push(logged.seq);
    const rest: number[] = [];
    for await (const logged of runtime.turns.watch(turn.id, { after: 2 })) rest.push(logged.seq);

    expect(seen).toEqual(seen.map((_, index) => index + 1));
    expect(rest).toEqual(seen.slice(2));
  });
});
