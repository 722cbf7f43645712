import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../core/agents.js';
import type { BlockOperation } from '../../core/blocks.js';
import { attachBlock, getAgentBlock } from '../../schema/agent-blocks.js';
import { changeBlock } from '../../schema/block-changes.js';
import { listRevisions } from '../../schema/block-revisions.js';
import { startRuntime, type TestRuntime } from '../support/runtime.js';
import { callOf, createScriptedModels } from '../support/scripted-model.js';

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

  /** What another agent does to the block while the model of this one thinks. */
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
      '[block.replace-gone] replaces',
      callOf('memory_replace', { label: 'plan', old_string: 'buy milk', new_string: 'buy oat milk' }),
      callOf('memory_replace', { label: 'plan', old_string: 'buy cheese', new_string: 'buy both' }),
      'buy both\ncook',
    ],
    [
      '[block.conflict-difference] rewrites',
      callOf('memory_rethink', { label: 'plan', new_memory: 'cook' }),
      callOf('memory_rethink', { label: 'plan', new_memory: 'buy cheese, then cook' }),
      'buy cheese, then cook',
    ],
  ])(
    '%s what somebody else changed: it reads how, merges, and nothing is lost',
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

  it('[memory.operations] takes a line in where the agent meant it, though lines moved', async () => {
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
});
