import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { type Database, openDatabase } from '../../schema/db/database.js';
import { runCanary } from '../support/runtime/canary.js';
import { type ChatRequest, lastSaid, type Policy } from '../support/model-server.js';
import { createRest, type Rest } from '../support/server/rest.js';
import { shareTestStack, type TestStack } from '../support/stack.js';

/** Remembers what follows "Remember", summarises where it is offered no tools, and otherwise says something. */
const policy: Policy = (request, step) => {
  const thinking = `I act. ${runCanary()}`;
  if (request.tools === undefined) return { text: `They talked about tea. ${runCanary()}` };
  const [, content] = /Remember (.+?)\./.exec(lastSaid(request)) ?? [];
  if (step === 0 && content !== undefined) {
    const args = { thinking, label: 'human', content, request_heartbeat: true };
    return { call: 'core_memory_append', args };
  }
  return { call: 'send_message', args: { thinking, message: 'Yes.' } };
};

interface StepRequest {
  readonly prompt: string;
  readonly agent_changed: boolean;
  readonly shortened: boolean;
  readonly epoch_id: string;
  readonly request: ChatRequest;
}

interface History {
  readonly epochs: readonly { readonly id: string; readonly number: number; readonly steps: number }[];
  readonly evictions: readonly {
    readonly messages: number;
    readonly tokens_before: number;
    readonly tokens_after: number;
  }[];
}

let stack: TestStack;
let rest: Rest;
let database: Database;

beforeAll(async () => {
  stack = await shareTestStack(policy);
  rest = createRest(stack.url);
  database = openDatabase(stack.databaseUrl);
});
afterAll(async () => {
  await database.close();
  await stack.close();
});

const anAgent = (): Promise<{ id: string; blocks: { id: string; label: string }[] }> =>
  rest.read('POST', '/v1/agents', {
    model: 'openai/scripted',
    embedding: 'perdure/use-lite',
    memory_blocks: [{ label: 'human', value: `Sails. ${runCanary()}` }],
  });
const tell = (agentId: string, content: string): Promise<unknown> =>
  rest.read('POST', `/v1/agents/${agentId}/messages`, {
    messages: [{ role: 'user', content: `${content} ${runCanary()}` }],
  });
const stepsOf = (agentId: string) =>
  rest.read<{ id: string; run_id: string }[]>('GET', `/v1/steps?agent_id=${agentId}&order=asc&limit=100`);
const requestOf = (stepId: string) => rest.read<StepRequest>('GET', `/v1/steps/${stepId}/request`);
const historyOf = (agentId: string) => rest.read<History>('GET', `/v1/agents/${agentId}/context/history`);

/** An agent after four turns with five steps: it edits its memory, a user edits it, its messages are summarised. */
async function aLife() {
  const from = stack.model.requests.length;
  const agent = await anAgent();
  const human = agent.blocks.find(({ label }) => label === 'human');
  await tell(agent.id, 'Remember Likes tea.');
  await rest.read('PATCH', `/v1/blocks/${human?.id ?? ''}`, { value: 'Rows.' });
  await tell(agent.id, 'And now?');
  await tell(agent.id, 'And then?');
  await rest.read('POST', `/v1/agents/${agent.id}/summarize`, {});
  await tell(agent.id, 'Still there?');
  const sent = stack.model.requests.slice(from).filter(({ tools }) => tools !== undefined);
  return { agent, sent, steps: await stepsOf(agent.id) };
}

describe('what a step’s model was sent', () => {
  let life: Awaited<ReturnType<typeof aLife>>;

  beforeAll(async () => {
    life = await aLife();
  });

  it('is shown for every step as it was, across edits and an eviction [studio.step-request]', async () => {
    const { sent, steps } = life;
    const shown = await Promise.all(steps.map(({ id }) => requestOf(id)));

    expect(shown.map(({ request }) => request)).toEqual(sent);
    expect(sent).toHaveLength(5);
    expect(new Set(shown.map(({ prompt }) => prompt))).toEqual(new Set(['stored']));
    expect(shown.some(({ shortened, agent_changed: changed }) => shortened || changed)).toBe(false);
  });

  it('is compiled from the memory of its time where the prompt is no longer stored [studio.step-request]', async () => {
    const { agent, sent, steps } = await aLife();
    await sql`delete from epochs where thread_id = ${agent.id}
      and id <> (select epoch_id from threads where id = ${agent.id})`.execute(database.db);

    const shown = await requestOf(steps[0]?.id ?? '');

    expect(shown.prompt).toBe('compiled_again');
    const [prompt, ...messages] = shown.request.messages;
    expect(messages).toEqual(sent[0]?.messages.slice(1));
    expect(prompt?.content).toContain('Sails.');
    expect(prompt?.content).not.toContain('Rows.');
    expect(shown.request.tools).toEqual(sent[0]?.tools);
  });

  it('comes with the epochs and the evictions of the context [studio.context-history]', async () => {
    const { agent, steps } = life;

    const { epochs, evictions } = await historyOf(agent.id);

    expect(epochs.map(({ number }) => number)).toEqual([2, 1]);
    expect(epochs.reduce((sum, epoch) => sum + epoch.steps, 0)).toBe(steps.length);
    const [first, last] = await Promise.all(
      [steps[0], steps.at(-1)].map((step) => requestOf(step?.id ?? '')),
    );
    expect(epochs.map(({ id }) => id)).toEqual([last?.epoch_id, first?.epoch_id]);
    expect(evictions).toHaveLength(1);
    expect(evictions[0]?.tokens_after).toBeLessThan(evictions[0]?.tokens_before ?? 0);
  });

  it('says that changed settings are the present ones, and that an unknown step is unknown [studio.step-request]', async () => {
    const agent = await anAgent();
    await tell(agent.id, 'Hello.');
    const [step] = await stepsOf(agent.id);
    await rest.read('PATCH', `/v1/agents/${agent.id}`, { description: 'Changed.' });

    expect(await requestOf(step?.id ?? '')).toMatchObject({ agent_changed: true });
    const unknown = await rest.call('GET', '/v1/steps/step-00000000-0000-4000-8000-000000000000/request');
    expect(unknown.status).toBe(404);
  });
});

describe('where Temporal has a run', () => {
  it('is its execution, with a link to the page about it [studio.execution]', async () => {
    const agent = await anAgent();
    await tell(agent.id, 'Hello.');
    const [step] = await stepsOf(agent.id);

    const execution = await rest.read<Record<string, string>>(
      'GET',
      `/v1/runs/${step?.run_id ?? ''}/execution`,
    );

    expect(execution).toMatchObject({ workflow_id: agent.id, namespace: 'default' });
    expect(execution['url']).toBe(
      `http://localhost:8233/namespaces/default/workflows/${agent.id}/${execution['execution_id'] ?? ''}/history`,
    );
    expect(execution['execution_id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});
