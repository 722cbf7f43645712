import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../core/agents/agents.js';
import type { BlockOperation } from '../../core/blocks/blocks.js';
import type { ModelRequest } from '../../core/models/model.js';
import { sql } from 'kysely';
import { createBlockListener } from '../../client/block-listener.js';
import { attachBlock, detachBlock, getAgentBlock } from '../../schema/blocks/agent-blocks.js';
import { changeBlock } from '../../schema/blocks/changes.js';
import { listRevisions } from '../../schema/blocks/revisions.js';
import { createBlock, requireBlock } from '../../schema/blocks/blocks.js';
import { agentsToWake } from '../../schema/turns/block-wakes.js';
import { listTurns } from '../../schema/turns/turns.js';
import { waitFor } from '../../stack/waiting.js';
import { startWaking } from '../../worker/block-wakes.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

describe('a block that agents share', () => {
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

  const sharedBy = (value: string): Promise<Agent> =>
    runtime.anAgent({ agentType: 'sleeptime_agent', blocks: [{ label: 'plan', value }] });

  /** Lets another agent change the block while this agent's model thinks. */
  async function meanwhile(agent: Agent, operation: BlockOperation): Promise<void> {
    const { id } = await getAgentBlock(runtime.db, agent.id, 'plan');
    const other = await runtime.anAgent({ blocks: [] });
    await attachBlock(runtime.db, { agentId: other.id, blockId: id });
    const outcome = await changeBlock(runtime.db, {
      ...{ blockId: id, operation, actor: 'agent', agentId: other.id },
    });
    expect(outcome).toMatchObject({ ok: true });
  }

  const lastResult = (): string => JSON.stringify(models.requests.at(-1)?.messages.findLast(isToolResult));
  const isToolResult = ({ role }: { role: string }): boolean => role === 'tool';

  it.each([
    [
      '[block.replace-gone] a replacement',
      callOf('memory_replace', { label: 'plan', old_string: 'buy milk', new_string: 'buy oat milk' }),
      callOf('memory_replace', { label: 'plan', old_string: 'buy cheese', new_string: 'buy both' }),
      'buy both\ncook',
    ],
    [
      '[block.conflict-difference] a rewrite',
      callOf('memory_rethink', { label: 'plan', new_memory: 'cook' }),
      callOf('memory_rethink', { label: 'plan', new_memory: 'buy cheese, then cook' }),
      'buy cheese, then cook',
    ],
  ])(
    '%s of outdated text returns the difference, and the agent merges both',
    async (_, late, merged, value) => {
      const agent = await sharedBy('buy milk\ncook');
      let read = '';
      models.script(
        async () => {
          await meanwhile(agent, { kind: 'replace', old: 'milk', new: 'cheese', all: true });
          return late;
        },
        () => {
          read = lastResult();
          return merged;
        },
        callOf('memory_finish_edits', {}),
      );

      const turn = await runtime.tell(agent, 'Tidy the plan.');

      expect(turn).toMatchObject({ state: 'completed', steps: 3 });
      expect(read).toContain(String.raw`-buy milk\\n+buy cheese`);
      expect(read).toContain(String.raw`current value is:\\nbuy cheese\\ncook`);
      const block = await getAgentBlock(runtime.db, agent.id, 'plan');
      expect(block).toMatchObject({ value, revision: 3 });
      expect(await listRevisions(runtime.db, block.id)).toMatchObject([
        { actor: 'sleep_time', agentId: agent.id, turnId: turn.id },
        { actor: 'agent' },
        { operation: { kind: 'create' } },
      ]);
    },
  );

  it('[memory.operations] inserts a line where the agent meant it, even if lines have moved', async () => {
    const agent = await sharedBy('one\nthree');
    models.script(
      async () => {
        await meanwhile(agent, { kind: 'insert', content: 'zero', line: 0 });
        return callOf('memory_insert', { label: 'plan', new_string: 'two', insert_line: 1 });
      },
      callOf('memory_finish_edits', {}),
    );

    await runtime.tell(agent, 'Complete the plan.');

    expect(await getAgentBlock(runtime.db, agent.id, 'plan')).toMatchObject({
      value: 'zero\none\ntwo\nthree',
    });
  });

  it('[block.isolated] keeps all edits of agents that write two blocks in opposite orders', async () => {
    const [left, right] = [
      await createBlock(runtime.db, { label: 'left', value: '' }),
      await createBlock(runtime.db, { label: 'right', value: '' }),
    ];
    const agents = await Promise.all(
      Array.from({ length: 8 }, () => runtime.anAgent({ blocks: [], blockIds: [left.id, right.id] })),
    );
    const append = (label: string, content: string) =>
      callOf('core_memory_append', { label, content, request_heartbeat: true }).toolCalls;
    const answer = (request: ModelRequest) => {
      if (request.messages.some(isToolResult)) return saying('Done.');
      const [, writer = ''] = /I am (\d)/.exec(JSON.stringify(request.messages)) ?? [];
      const calls = [append('left', `by ${writer}`), append('right', `by ${writer}`)];
      return { toolCalls: (Number(writer) % 2 === 0 ? calls : calls.reverse()).flat() };
    };
    const asked = models.requests.length;
    models.script(...agents.flatMap(() => [answer, answer]));

    const turns = await Promise.all(agents.map((agent, index) => runtime.tell(agent, `I am ${index}.`)));

    expect(turns.map(({ state }) => state)).toEqual(agents.map(() => 'completed'));
    expect(models.requests.length - asked).toBe(2 * agents.length);
    const expected = agents.map((_, index) => `by ${index}`);
    for (const { id } of [left, right])
      expect((await requireBlock(runtime.db, id)).value.split('\n').sort()).toEqual(expected);
  });

  it('[block.next-step] is current at every agent’s next step, and an edit writes no rows per agent', async () => {
    const agents = await Promise.all(Array.from({ length: 20 }, () => sharedBy('old')));
    const [first] = agents as [Agent];
    const { id } = await getAgentBlock(runtime.db, first.id, 'plan');
    for (const agent of agents.slice(1)) {
      await detachBlock(runtime.db, agent.id, (await getAgentBlock(runtime.db, agent.id, 'plan')).id);
      await attachBlock(runtime.db, { agentId: agent.id, blockId: id });
    }
    models.script(...agents.slice(0, 3).map(() => callOf('memory_finish_edits', {})));
    for (const agent of agents.slice(0, 3)) await runtime.tell(agent, 'Look.');
    const before = await rowsOfAgents();

    await changeBlock(runtime.db, {
      ...{ blockId: id, operation: { kind: 'append', content: 'brand new' }, actor: 'user' },
    });

    expect(await rowsOfAgents()).toEqual(before);
    models.script(...agents.slice(0, 4).map(() => callOf('memory_finish_edits', {})));
    for (const agent of agents.slice(0, 4)) {
      await runtime.tell(agent, 'Look again.');
      expect(JSON.stringify(models.requests.at(-1)?.messages)).toContain('brand new');
    }
  });

  it('[block.wake] wakes a subscribed agent with the change in its context', async () => {
    const agent = await runtime.anAgent({ blocks: [{ label: 'plan', value: 'old' }] });
    const { id } = await getAgentBlock(runtime.db, agent.id, 'plan');
    await attachBlock(runtime.db, { agentId: agent.id, blockId: id, notify: true });
    models.script(saying('Hello.'), saying('I have read it.'));
    await runtime.tell(agent, 'Hello.');
    const listener = createBlockListener(runtime.databaseUrl);
    const errors: string[] = [];
    const log = { warn: () => undefined, error: (message: string) => errors.push(message) };
    const stop = startWaking({ db: runtime.db, bell: runtime.bell, listener, log });

    await changeBlock(runtime.db, {
      ...{ blockId: id, operation: { kind: 'append', content: 'brand new' }, actor: 'user' },
    });
    const woken = await waitFor(
      async () => (await listTurns(runtime.db, { agentIds: [agent.id] }, { order: 'asc' }))[1],
      { timeoutMs: 90_000, everyMs: 50 },
    );
    const ended = await runtime.turns.result(woken?.id ?? '');
    await stop();
    await listener.close();

    expect(ended).toMatchObject({ state: 'completed', steps: 1 });
    const read = JSON.stringify(models.requests.at(-1)?.messages);
    expect(read).toContain('changed by others, and you asked to be told');
    expect(read).toContain('brand new');
    expect(errors).toEqual([]);
    expect(await agentsToWake(runtime.db)).toEqual([]);
  });

  /** The number of rows about agents and the last transaction that wrote one, by table. */
  async function rowsOfAgents(): Promise<unknown> {
    const tables = [
      'agents',
      'agent_blocks',
      'threads',
      'seen_revisions',
      'epochs',
      'messages',
      'deliveries',
    ];
    const counts = tables.map(
      (table) => `select '${table}' as name, count(*), max(xmin::text::bigint) from ${table}`,
    );
    return (await sql.raw(counts.join(' union all ')).execute(runtime.db)).rows;
  }
});
