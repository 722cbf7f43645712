import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../core/agents/agents.js';
import type { Chore } from '../../core/turns/chores.js';
import { readSummary } from '../../schema/threads/evictions.js';
import { listMessages, loadQueue } from '../../schema/threads/messages.js';
import { readThread } from '../../schema/threads/threads.js';
import { waitFor } from '../../stack/waiting.js';
import { giveAPast } from '../support/agents/past.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

describe('the chores of a thread', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker();
  });

  afterAll(async () => {
    await runtime.close();
  });

  const send = (agent: Agent, chore: Chore) =>
    runtime.turns.send({ threadId: agent.id, messages: [], options: { chore } });

  const ask = async (agent: Agent, chore: Chore) => runtime.turns.result((await send(agent, chore)).turn.id);

  it('compact older messages into a summary [messages.compact]', async () => {
    const agent = await runtime.anAgent();
    await giveAPast(runtime.db, agent, 20, (index) => `Old message ${index} about the sea.`);
    const before = await loadQueue(runtime.db, agent.id);
    models.script({ text: 'We spoke of the sea.' });

    const ended = await ask(agent, { kind: 'compact' });
    const thread = await readThread(runtime.db, agent.id);
    const left = await loadQueue(runtime.db, agent.id);

    expect(ended).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 0 });
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(before.length);
    expect(await readSummary(runtime.db, thread!)).toContain('We spoke of the sea.');
    expect(await listMessages(runtime.db, { threadId: agent.id }, {})).toHaveLength(before.length);
  });

  it('compact nothing in an empty thread [messages.compact]', async () => {
    const agent = await runtime.anAgent();

    const ended = await ask(agent, { kind: 'compact' });

    expect(ended.state).toBe('completed');
  });

  it('reset messages, summary and waiting calls, and keep memory and the queue [messages.reset]', async () => {
    const agent = await runtime.anAgent({
      toolRules: [{ kind: 'requires_approval', tool: 'core_memory_append' }],
    });
    models.script(callOf('core_memory_append', { label: 'human', content: 'x', request_heartbeat: true }));
    await runtime.tell(agent, 'Forget this.');
    const waiting = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'Who am I?' }],
    });
    models.script(saying('A stranger.'));

    const ended = await ask(agent, { kind: 'reset' });
    const after = await runtime.turns.result(waiting.turn.id);

    expect([ended.state, after.state]).toEqual(['completed', 'completed']);
    const said = JSON.stringify(models.requests.at(-1)?.messages);
    expect(said).toContain('Who am I?');
    expect(said).not.toContain('Forget this.');
    const left = await listMessages(runtime.db, { threadId: agent.id }, {});
    expect(left.map(({ body }) => body.kind)).toEqual(['user', 'assistant', 'tool']);
  });

  it('edit a message for the model and for searches after the running turn [messages.edit]', async () => {
    const agent = await runtime.anAgent();
    let go: (() => void) | undefined;
    models.script(async () => {
      await new Promise<void>((resolve) => (go = resolve));
      return saying('Hello Bob.');
    });
    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'I am Bob.' }],
    });
    await waitFor(() => go, { timeoutMs: 90_000, everyMs: 20 });
    const [message] = await listMessages(runtime.db, { threadId: agent.id, kinds: ['user'] }, {});
    const { turn: chore } = await send(agent, {
      kind: 'edit',
      messageId: message!.id,
      edit: { part: 'user', text: 'I am Alice.' },
    });
    const meanwhile = await listMessages(runtime.db, { threadId: agent.id, kinds: ['user'] }, {});
    go?.();
    await runtime.turns.result(turn.id);
    await runtime.turns.result(chore.id);
    models.script(saying('Alice.'));
    await runtime.tell(agent, 'Who am I?');
    const found = await runtime.db
      .selectFrom('messages')
      .select('id')
      .where('thread_id', '=', agent.id)
      .where('words', 'like', '%Alice%')
      .where('kind', '=', 'user')
      .execute();

    expect(JSON.stringify(meanwhile)).toContain('I am Bob.');
    expect(JSON.stringify(models.requests.at(-1)?.messages)).toContain('I am Alice.');
    expect(JSON.stringify(models.requests.at(-1)?.messages)).not.toContain('I am Bob.');
    expect(found).toEqual([{ id: message!.id }]);
  });

  it('fail to edit a deleted message, and the thread moves on [messages.edit]', async () => {
    const agent = await runtime.anAgent();
    const messageId = 'message-00000000-0000-4000-8000-000000000000';

    const ended = await ask(agent, { kind: 'edit', messageId, edit: { part: 'user', text: 'x' } });
    models.script(saying('Still here.'));
    const after = await runtime.tell(agent, 'Hello?');

    expect(ended).toMatchObject({ state: 'failed', stopReason: 'error' });
    expect(after.state).toBe('completed');
  });
});
