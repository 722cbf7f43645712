import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WorldFailure } from '../../core/failures.js';
import type { Agent } from '../../core/agents/agents.js';
import type { Chore } from '../../core/turns/chores.js';
import { getBlock } from '../../schema/blocks/blocks.js';
import { readSummary } from '../../schema/threads/evictions.js';
import { loadQueue } from '../../schema/threads/messages.js';
import { readThread } from '../../schema/threads/threads.js';
import { giveAPast } from '../support/agents/past.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

describe('an agent’s compaction settings', () => {
  const models = createScriptedModels();
  const asked: string[] = [];
  let runtime: TestRuntime;

  beforeAll(async () => {
    const resolve = (handle: string) => {
      if (handle === 'openai/gone') {
        throw new WorldFailure('Model.NotConfigured', 'There is no such model.', { retryable: false });
      }
      const model = models.resolve(handle);
      return {
        ...model,
        complete: (...args: Parameters<typeof model.complete>) => {
          asked.push(handle);
          return model.complete(...args);
        },
      };
    };
    runtime = await startRuntime({ models: { ...models, requests: models.requests, resolve } });
    await runtime.startWorker();
  });

  afterEach(() => {
    asked.length = 0;
  });

  afterAll(() => runtime.close());

  async function compact(agent: Agent, settings?: Readonly<Record<string, unknown>>) {
    const chore: Chore = { kind: 'compact', ...(settings === undefined ? {} : { settings }) };
    const { turn } = await runtime.turns.send({ threadId: agent.id, messages: [], options: { chore } });
    const { state } = await runtime.turns.result(turn.id);
    const thread = (await readThread(runtime.db, agent.id))!;
    return { state, thread, left: await loadQueue(runtime.db, agent.id) };
  }

  async function withPast(compaction_settings: Readonly<Record<string, unknown>>): Promise<Agent> {
    const agent = await runtime.anAgent({ extras: { compaction_settings } });
    await giveAPast(runtime.db, agent, 20, (index) => `Old message ${index} about the sea.`);
    return agent;
  }

  it('[agents.compaction] choose the model, its settings and prompt, and clip the summary', async () => {
    const agent = await withPast({
      model: 'openai/small',
      model_settings: { temperature: 0, max_output_tokens: 900 },
      prompt: 'You write minutes.',
      clip_chars: 60,
    });
    models.script({ text: `${'We spoke of the sea. '.repeat(2)}And of many a thing besides.` });

    const { state, thread } = await compact(agent);
    const summary = await readSummary(runtime.db, thread);

    expect(state).toBe('completed');
    expect(asked).toEqual(['openai/small']);
    expect(models.requests.at(-1)).toMatchObject({
      messages: [
        { role: 'system', content: 'You write minutes.' },
        { role: 'user', content: expect.stringContaining('at most 6 words') },
      ],
      settings: { temperature: 0, maxOutputTokens: 900 },
    });
    expect(summary).toBe('We spoke of the sea. We spoke of the sea.');
  });

  it('[agents.compaction] fall back to the agent’s own model if theirs is gone', async () => {
    const agent = await withPast({ model: 'openai/gone' });
    models.script({ text: 'We spoke of the sea.' });

    expect((await compact(agent)).state).toBe('completed');
    expect(asked).toEqual([agent.model]);
  });

  it.each([
    [{ sliding_window_percentage: 0.1 }, 17],
    [{ sliding_window_percentage: 0.9 }, 2],
  ])('[agents.compaction] set the evicted share: %p', async (settings, kept) => {
    const agent = await withPast(settings);
    models.script({ text: 'We spoke of the sea.' });

    const { left } = await compact(agent);

    expect(Math.abs(left.length - kept)).toBeLessThanOrEqual(1);
  });

  it('[agents.compaction] can evict everything, and the agent continues from the summary', async () => {
    const agent = await withPast({});
    models.script({ text: 'We spoke of the sea.' });

    const { left, thread } = await compact(agent, { mode: 'all' });
    models.script(saying('Of the sea.'));
    const next = await runtime.tell(agent, 'Of what did we speak?');
    const block = await getBlock(runtime.db, thread.summaryBlockId!);

    expect(left).toEqual([]);
    expect(next.state).toBe('completed');
    const messages = models.requests.at(-1)?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(messages[0]?.content).toContain('We spoke of the sea.');
    expect(block?.limit).toBe(50_000);
  });

  it('[agents.autoclear] can clear each turn’s context while memory stays', async () => {
    const agent = await runtime.anAgent({ extras: { message_buffer_autoclear: true } });
    models.script(
      callOf('core_memory_append', { label: 'human', content: 'Likes the sea.', request_heartbeat: true }),
      saying('Noted.'),
    );
    await runtime.tell(agent, 'I like the sea.');
    const first = models.requests.at(-1)?.messages ?? [];
    models.script(saying('You like the sea.'));
    await runtime.tell(agent, 'What do I like?');
    const next = models.requests.at(-1)?.messages ?? [];

    expect(first.length).toBeGreaterThan(2);
    expect(next.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(next[0]?.content).toContain('Likes the sea.');
    expect(JSON.stringify(next[1])).toContain('What do I like?');
    expect(JSON.stringify(next)).not.toContain('I like the sea.');
  });

  it('[agents.autoclear] keep the context of calls that were decided', async () => {
    const agent = await runtime.anAgent({
      extras: { message_buffer_autoclear: true },
      toolRules: [{ kind: 'requires_approval', tool: 'core_memory_append' }],
    });
    const call = callOf('core_memory_append', { label: 'human', content: 'x', request_heartbeat: true });
    models.script(call);
    await runtime.tell(agent, 'Remember x.');
    models.script(saying('Done.'));
    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [],
      approvals: [{ kind: 'all', approve: true, reason: null }],
    });
    await runtime.turns.result(turn.id);

    expect(JSON.stringify(models.requests.at(-1)?.messages)).toContain('Remember x.');
  });
});
