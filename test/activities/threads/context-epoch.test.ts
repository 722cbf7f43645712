import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type PreparedStep, prepareStep } from '../../../activities/turns/prepare-step.js';
import { messageOf } from '../../../activities/turns/step-input.js';
import { coreMemoryAppend, coreMemoryReplace, memoryRethink } from '../../../activities/tools/core-memory.js';
import { noExtensions } from '../../../adapters/extensions/open-extensions.js';
import { readMemory } from '../../../bench/memory-reader.js';
import type { Agent } from '../../../core/agents/agents.js';
import type { BlockOperation } from '../../../core/blocks/blocks.js';
import { attachBlock, detachBlock, listAgentBlocks } from '../../../schema/blocks/agent-blocks.js';
import { changeBlock } from '../../../schema/blocks/changes.js';
import { createBlock, updateBlockFields } from '../../../schema/blocks/blocks.js';
import type { Db } from '../../../schema/db/database.js';
import { commitEviction } from '../../../schema/threads/evictions.js';
import type { Effect } from '../../../schema/turns/records.js';
import { lockThread } from '../../../schema/threads/threads.js';
import { toolResultMessage } from '../../../schema/turns/tool-results.js';
import { appendToTranscript } from '../../../schema/threads/transcript.js';
import { anAgent, openTestDatabase, type OpenedDatabase } from '../../schema/fixtures.js';
import { createScriptedModels } from '../../support/models/scripted-model.js';

type Ready = Extract<PreparedStep, { kind: 'ready' }>;

/** A turn whose steps are prepared one by one, with block edits between them. */
async function aTurn(db: Db, agent: Agent) {
  const fence = { turnId: `run-${randomUUID()}`, executionId: randomUUID() };
  await db
    .insertInto('turns')
    .values({
      ...{ id: fence.turnId, thread_id: agent.id, agent_id: agent.id, state: 'running' },
      ...{ execution_id: fence.executionId, options: '{}' },
    })
    .execute();
  const models = createScriptedModels([], { contextWindow: 1_000_000 });
  const deps = { db, models, extensions: noExtensions };
  let index = 0;
  const inputOf = (at: number) => ({
    ...{ threadId: agent.id, agentId: agent.id, turnId: fence.turnId, index: at },
    ...{ reason: null, mustFit: false },
  });
  return {
    async step(): Promise<Ready> {
      const prepared = await prepareStep(deps, fence, inputOf(index));
      index += 1;
      if (prepared.kind !== 'ready') throw new Error(`The step is ${prepared.kind}.`);
      return prepared;
    },
    /** Calls a memory tool as the loop does: the answer, the tool's writes, its result. */
    async edit(name: keyof typeof memoryTools, args: Record<string, unknown>): Promise<boolean> {
      const id = randomUUID();
      const call = { id: `call-${id}`, name, arguments: JSON.stringify(args) };
      const effect: Effect = {
        ...{ id: `effect-${id}`, turnId: fence.turnId, stepId: `step-${id}`, index: 0, call },
        ...{ arguments: args, requestHeartbeat: true, state: 'started', status: null, refusal: null },
        resultMessageId: `message-${randomUUID()}`,
      };
      return db.transaction().execute(async (tx) => {
        const thread = (await lockThread(tx, agent.id))!;
        const answer = messageOf(inputOf(index), `message-${id}`, {
          ...{ kind: 'assistant', text: '', reasoning: '', nativeReasoning: false, toolCalls: [call] },
        });
        const moved = await appendToTranscript(tx, thread, [answer]);
        const outcome = await memoryTools[name].run({ tx, thread: moved, agent, effect });
        const status = outcome.ok ? 'success' : 'error';
        const result = toolResultMessage(moved, effect, { status, content: outcome.message });
        await appendToTranscript(tx, moved, [result]);
        return outcome.ok;
      });
    },
    /** Evicts all but the newest messages. */
    async evict(): Promise<void> {
      await db.transaction().execute(async (tx) => {
        const thread = (await lockThread(tx, agent.id))!;
        const keepFrom = Math.max(thread.queueStart, thread.nextPosition - 3);
        const counts = { messages: 1, tokensBefore: 1, tokensAfter: 1, level: 0, method: 'hard' as const };
        const eviction = {
          ...{ id: `eviction-${randomUUID()}`, threadId: thread.id, turnId: fence.turnId, keepFrom },
          ...counts,
        };
        await commitEviction(tx, thread, { eviction, summary: 'We spoke.', limit: 5_000 });
      });
    },
  };
}

const memoryTools = {
  core_memory_append: coreMemoryAppend,
  core_memory_replace: coreMemoryReplace,
  memory_rethink: memoryRethink,
};

describe('a context epoch', () => {
  let database: OpenedDatabase;
  let db: Db;
  beforeAll(async () => {
    database = await openTestDatabase();
    ({ db } = database);
  });
  afterAll(() => database.close());

  const limit = 200_000;

  /** An agent with two blocks; another agent shares the first one. */
  async function sharing() {
    const other = await anAgent(db, { name: 'Eve' });
    const agent = await anAgent(db, {
      toolNames: ['core_memory_append', 'archival_memory_search', 'send_message'],
      blocks: [
        { label: 'tasks', value: 'one\ntwo', limit },
        { label: 'notes', value: '', limit },
      ],
    });
    const [tasks, notes] = await listAgentBlocks(db, agent.id);
    await attachBlock(db, { agentId: other.id, blockId: tasks!.id });
    return { agent, other, tasks: tasks!, notes: notes!, turn: await aTurn(db, agent) };
  }

  const byOther = (blockId: string, agentId: string, operation: BlockOperation) =>
    changeBlock(db, { blockId, operation, actor: 'agent', agentId });

  const valuesOf = async (agent: Agent) =>
    Object.fromEntries((await listAgentBlocks(db, agent.id)).map(({ label, value }) => [label, value]));

  const readFrom = (step: Ready) => Object.fromEntries(readMemory(step.fitted.request.messages));

  const noticesIn = (step: Ready) =>
    step.fitted.request.messages.flatMap(({ role, content }) =>
      role === 'user' && typeof content === 'string' && content.startsWith('{"type":"system_alert"')
        ? [(JSON.parse(content) as { message: string }).message]
        : [],
    );

  it('shows what others changed, and who changed it [epoch.notices]', async () => {
    const { agent, other, tasks, turn } = await sharing();
    await turn.step();
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`).join('\n');
    await byOther(tasks.id, other.id, { kind: 'set', value: lines });
    await turn.step();
    await byOther(tasks.id, other.id, { kind: 'replace', old: 'line 7', new: 'line seven', all: true });
    await changeBlock(db, {
      blockId: tasks.id,
      operation: { kind: 'append', content: 'the end' },
      actor: 'user',
    });

    const notices = noticesIn(await turn.step());

    expect(notices[0]).toBe(
      `Your memory block "tasks" was changed by the agent "Eve". Its value is now, to the end of this notice:\n${lines}`,
    );
    expect(notices[1]).toMatchInlineSnapshot(`
     "Your memory block "tasks" was changed by a user and the agent "Eve". Changes ("-" lines were removed, "+" lines added):
     @@ -5,7 +5,7 @@
      line 4
      line 5
      line 6
     -line 7
     +line seven
      line 8
      line 9
      line 10
     @@ -18,3 +18,4 @@
      line 17
      line 18
      line 19
     +the end"
    `);
    expect(notices).toHaveLength(2);
    expect(agent.id).not.toBe(other.id);
  });

  it('does not mention a change that was reverted [epoch.notices]', async () => {
    const { other, tasks, turn } = await sharing();
    const first = await turn.step();
    await byOther(tasks.id, other.id, { kind: 'append', content: 'three' });
    await byOther(tasks.id, other.id, { kind: 'set', value: 'one\ntwo' });

    const second = await turn.step();

    expect(second.fitted.request).toEqual(first.fitted.request);
  });

  it('is renewed when the notices have outgrown the blocks, and says that the prefix was rewritten [epoch.renewed]', async () => {
    const { agent, other, tasks, turn } = await sharing();
    const first = await turn.step();
    const steps: Ready[] = [];
    for (let round = 0; round < 12; round += 1) {
      await byOther(tasks.id, other.id, { kind: 'set', value: `${round} `.repeat(250) });
      steps.push(await turn.step());
      expect(readFrom(steps.at(-1)!)).toEqual(await valuesOf(agent));
    }

    const epochs = steps.map((step) => step.epoch.id);
    expect(epochs[0]).toBe(first.epoch.id);
    expect(new Set(epochs).size).toBe(2);
    const last = steps.at(-1)!;
    expect(noticesIn(last)).toContainEqual(expect.stringContaining('was just rewritten'));
  });

  it.each<[string, (given: Awaited<ReturnType<typeof sharing>>) => Promise<unknown>]>([
    [
      'a block is attached',
      async ({ agent }) => {
        const { id } = await createBlock(db, { label: 'plans', value: 'to sail', limit });
        await attachBlock(db, { agentId: agent.id, blockId: id });
      },
    ],
    ['a block is detached', ({ agent, notes }) => detachBlock(db, agent.id, notes.id)],
    ['a block is relabelled', ({ notes }) => updateBlockFields(db, notes.id, { label: 'remarks' })],
    ['a block gets another limit', ({ notes }) => updateBlockFields(db, notes.id, { limit: 50 })],
    ['a block becomes read-only', ({ notes }) => updateBlockFields(db, notes.id, { readOnly: true })],
  ])('is renewed when %s [epoch.renewed]', async (_, change) => {
    const given = await sharing();
    const before = await given.turn.step();
    await change(given);

    const after = await given.turn.step();

    expect(after.epoch.id).not.toBe(before.epoch.id);
    expect(readFrom(after)).toEqual(await valuesOf(given.agent));
  });

  /** Expects that everything sent before is sent again, byte for byte, and only then more. */
  const expectToGoOn = (step: Ready, before: Ready) => {
    const sent = ({ fitted: { request } }: Ready) =>
      request.messages.map((message) => JSON.stringify(message));
    expect(sent(step).slice(0, sent(before).length)).toEqual(sent(before));
    // As text: equality ignores the order of fields.
    expect(JSON.stringify(step.fitted.request.tools)).toBe(JSON.stringify(before.fitted.request.tools));
  };

  it('keeps its prefix byte for byte, and shows the newest value of each block at every step [epoch.prefix] [epoch.freshest]', async () => {
    const text = fc
      .tuple(fc.constantFrom('sea', 'boat', 'sail'), fc.integer({ min: 1, max: 40 }))
      .map(([word, lines]) =>
        Array.from({ length: lines }, (_, i) => `${word} ${i % 7} ${word.repeat(i % 5)}`).join('\n'),
      );
    const label = fc.constantFrom('tasks', 'notes');
    const act = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('step' as const) }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('append' as const), label, text }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('replace' as const), label, text }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('rethink' as const), label, text }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('other appends' as const), text }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('other sets' as const), text }) },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('other inserts' as const), text, line: fc.nat(3) }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('user sets' as const), text }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('evict' as const) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 25 }), async (acts) => {
        const { agent, other, tasks, notes, turn } = await sharing();
        let before: Ready | undefined;
        for (const one of [...acts, { kind: 'step' as const }]) {
          if (one.kind === 'step') {
            const step = await turn.step();
            expect(readFrom(step)).toEqual(await valuesOf(agent));
            if (step.epoch.id === before?.epoch.id) expectToGoOn(step, before);
            before = step;
          }
          if (one.kind === 'append')
            await turn.edit('core_memory_append', { label: one.label, content: one.text });
          if (one.kind === 'replace') {
            const args = { label: one.label, old_content: 'sea', new_content: 'land' };
            await turn.edit('core_memory_replace', args);
          }
          if (one.kind === 'rethink')
            await turn.edit('memory_rethink', { label: one.label, new_memory: one.text });
          if (one.kind === 'other appends')
            await byOther(tasks.id, other.id, { kind: 'append', content: one.text });
          if (one.kind === 'other sets') await byOther(tasks.id, other.id, { kind: 'set', value: one.text });
          if (one.kind === 'other inserts')
            await byOther(tasks.id, other.id, { kind: 'insert', content: one.text, line: one.line });
          if (one.kind === 'user sets')
            await changeBlock(db, {
              blockId: notes.id,
              operation: { kind: 'set', value: one.text },
              actor: 'user',
            });
          if (one.kind === 'evict') await turn.evict();
        }
      }),
      { numRuns: 30 },
    );
  });
});
