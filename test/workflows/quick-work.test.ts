import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getAgentBlock } from '../../schema/blocks/agent-blocks.js';
import { listMessages } from '../../schema/threads/messages.js';
import { failInserts } from '../support/faults/faults.js';
import { activitiesOf, fetchHistories } from '../support/runtime/histories.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

const append = (content: string) =>
  callOf('core_memory_append', { label: 'human', content, request_heartbeat: true });

describe('work that only changes rows', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models, toolTimeoutMs: 1_500 });
  });

  afterAll(async () => {
    await runtime.close();
  });

  const edits = async (agentId: string) => {
    const [history] = await fetchHistories(runtime.temporal, [agentId]);
    return activitiesOf(history!).filter((name) => name === 'editBlock');
  };

  it('has three quick attempts and then becomes an ordinary activity [turn.quick-work]', async () => {
    const agent = await runtime.anAgent({ blocks: [{ label: 'human', value: 'Their name is Sid.' }] });
    const asked = models.requests.length;
    const tried = await failInserts(runtime.db, 'block_revisions', 3);
    models.script(append('Has a boat.'), saying('Noted.'));
    const worker = await runtime.startWorker();

    const turn = await runtime.tell(agent, 'I have a boat.');
    await worker.stop();

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 2 });
    expect(models.requests.length).toBe(asked + 2);
    expect(await tried()).toBe(4);
    expect(await getAgentBlock(runtime.db, agent.id, 'human')).toMatchObject({
      value: 'Their name is Sid.\nHas a boat.',
      revision: 2,
    });
    // The failed local activity and the ordinary one.
    expect(await edits(agent.id)).toEqual(['editBlock', 'editBlock']);
  });

  it('is abandoned if every attempt fails, and the agent continues [turn.tool-fault]', async () => {
    const agent = await runtime.anAgent({ blocks: [{ label: 'human', value: 'Their name is Sid.' }] });
    await failInserts(runtime.db, 'block_revisions', 1_000);
    models.script(append('Has a boat.'), saying('I could not write that down.'));
    const worker = await runtime.startWorker();

    const turn = await runtime.tell(agent, 'I have a boat.');
    await worker.stop();
    await failInserts(runtime.db, 'block_revisions', 0);

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 2 });
    const [result] = await listMessages(
      runtime.db,
      { threadId: agent.id, kinds: ['tool'] },
      { order: 'asc' },
    );
    expect(result?.body).toMatchObject({
      status: 'error',
      content: "core_memory_append failed on the server's side, and nothing was changed. Do without it.",
    });
    expect(await getAgentBlock(runtime.db, agent.id, 'human')).toMatchObject({ revision: 1 });
  });

  it('does not let an execution grow with a rapid conversation [turn.bounded]', async () => {
    const agent = await runtime.anAgent();
    const turns = 8;
    const slowly = async () => {
      await delay(300);
      return saying('And?');
    };
    models.script(...Array.from({ length: turns }, () => slowly));
    const worker = await runtime.startWorker();

    for (let index = 0; index < turns; index += 1) await runtime.tell(agent, `${index}`);
    await worker.stop();

    const histories = await fetchHistories(runtime.temporal, [agent.id]);
    const calls = histories.map(
      (history) => activitiesOf(history).filter((name) => name === 'callModel').length,
    );
    expect(calls.reduce((sum, count) => sum + count, 0)).toBe(turns);
    // Four turns begin within the first second of an execution, and the last of them ends after it.
    expect(Math.max(...calls)).toBeLessThanOrEqual(4);
  });
});
