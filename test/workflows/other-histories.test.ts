import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Embedder } from '../../activities/deps.js';
import type { Extensions } from '../../adapters/extensions/extensions.js';
import { openExtensions } from '../../adapters/extensions/open-extensions.js';
import { createAgents } from '../../client/agents.js';
import { createSchedules, type Schedules } from '../../client/schedules.js';
import type { Agent } from '../../core/agents/agents.js';
import { WorldFailure } from '../../core/failures.js';
import { TaskMemory } from '../../examples/task-list/extension.js';
import { createGroup } from '../../schema/groups/groups.js';
import { listTurns } from '../../schema/turns/turns.js';
import { packageFile } from '../../stack/processes.js';
import { waitFor } from '../../stack/waiting.js';
import { anActivityAgent, startActivityWorker } from '../support/tools/activity-workers.js';
import { anUpload, aSource, ended } from '../support/files/file-fixtures.js';
import {
  activitiesOf,
  fetchHistories,
  type History,
  recordIfAsked,
  replay,
} from '../support/runtime/histories.js';
import { aPair, refined } from '../support/agents/partners.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';
import { testVault } from '../support/runtime/vault.js';

let embed: () => Promise<number[]> = () => Promise.resolve([1, 2, 3]);
const embedder: Embedder = {
  description: { handle: 'test/embedding', provider: 'test', model: 'embedding', dimensions: 3 },
  embed: (texts) => Promise.all(texts.map(embed)),
};

/** Each workflow beside the turn, with one execution for each of its outcomes, and turns of newer kinds. */
describe('the histories of other workflows and newer turns [turn.replay]', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;
  let extensions: Extensions;

  beforeAll(async () => {
    extensions = await openExtensions([packageFile('examples/task-list/extension.ts')], { timeoutMs: 5_000 });
    runtime = await startRuntime({ models, extensions, embeddings: { resolve: () => embedder } });
    await runtime.startWorker();
  });

  afterAll(async () => {
    await runtime.close();
    await extensions.close();
  });

  /** The histories of these executions after they have closed. */
  async function closed(workflowIds: readonly string[]): Promise<History[]> {
    await waitFor(
      async () => {
        const found = await Promise.all(
          workflowIds.map((id) => runtime.temporal.workflow.getHandle(id).describe()),
        );
        return found.every(({ status }) => status.name !== 'RUNNING') ? true : undefined;
      },
      { timeoutMs: 90_000, everyMs: 50 },
    );
    return fetchHistories(runtime.temporal, workflowIds);
  }

  const scheduledBy = async (scheduleId: string): Promise<string[]> => {
    const { info } = await runtime.temporal.schedule.getHandle(scheduleId).describe();
    return info.recentActions.map(({ action }) => action.workflow.workflowId);
  };

  async function turnsOf({ id }: Agent, states: readonly string[]): Promise<void> {
    let found: readonly string[] = [];
    await waitFor(
      async () => {
        const turns = await listTurns(runtime.db, { agentIds: [id] }, { order: 'asc' });
        found = turns.map(({ state }) => state);
        return found.join() === states.join() ? true : undefined;
      },
      { timeoutMs: 90_000, everyMs: 50 },
    );
    expect(found).toEqual(states);
  }

  it('replay refinements: finished, idle, cancelled', async () => {
    const done = await aPair(runtime);
    models.script(saying('I see.'), callOf('memory_finish_edits', {}));
    await runtime.tell(done.agent, 'I moved.');
    await runtime.sleepTime.refine(done.group.id);
    expect(await refined(runtime, done)).toMatchObject([{ state: 'completed' }]);
    const idle = await aPair(runtime);
    await runtime.partners.wake(idle.partner.id);
    const stopped = await aPair(runtime);
    const asked = new Promise<void>((resolve) => {
      models.script(saying('I see.'), () => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    await runtime.tell(stopped.agent, 'I moved.');
    await runtime.sleepTime.refine(stopped.group.id);
    await asked;
    const idOf = ({ partner }: { partner: Agent }) => `refine-${partner.id}`;
    await runtime.temporal.workflow.getHandle(idOf(stopped)).cancel();
    expect(await refined(runtime, stopped)).toMatchObject([{ state: 'failed' }]);

    const histories = await closed([idOf(done), idOf(idle), idOf(stopped)]);

    recordIfAsked('refine-memory', histories);
    expect(histories).toHaveLength(3);
    expect(await replay(histories)).toEqual([]);
  });

  it('replay scheduled messages: sent, cancelled by the next one', async () => {
    const schedules: Schedules = createSchedules({ db: runtime.db, sync: runtime.schedules });
    const agent = await runtime.anAgent();
    const timing = {
      ...{ kind: 'cron' as const, cron: '30 3 29 2 *', timezone: 'Europe/Oslo' },
      ...{ jitterMs: 0, overlap: 'cancel_other' as const, catchupMs: 600_000 },
    };
    const messages = [{ role: 'user' as const, content: 'It is time.' }];
    const schedule = await schedules.scheduleMessages({ agentId: agent.id, messages, timing });
    models.script(() => new Promise(() => undefined), saying('Now.'));
    const handle = runtime.temporal.schedule.getHandle(schedule.id);

    await handle.trigger('CANCEL_OTHER');
    await turnsOf(agent, ['running']);
    // Temporal names an execution by the second: two in the same second would be one.
    const second = new Date().getSeconds();
    await waitFor(() => Promise.resolve(new Date().getSeconds() === second ? undefined : true), {
      ...{ timeoutMs: 2_000, everyMs: 20 },
    });
    await handle.trigger('CANCEL_OTHER');
    await turnsOf(agent, ['cancelled', 'completed']);

    const histories = await closed(await scheduledBy(schedule.id));
    await schedules.delete(schedule.id);
    recordIfAsked('send-scheduled', histories);
    expect(histories).toHaveLength(2);
    expect(await replay(histories)).toEqual([]);
  });

  it('replay ingestions: published, refused', async () => {
    const ingest = async (content: string | Buffer): Promise<string> => {
      const source = await aSource(runtime.db, { chunkSize: 100 });
      const file = await anUpload(runtime.db, source, { content });
      await runtime.ingestions.start(file.id);
      return file.id;
    };
    const good = await ingest('Leave is 25 days.\n\n'.repeat(400));
    expect(await ended(runtime.db, good)).toMatchObject({ state: 'completed' });
    embed = () => {
      throw new WorldFailure('Embedding.Refused', 'no such model', { retryable: false });
    };
    const refused = await ingest('Leave is 25 days.');
    expect(await ended(runtime.db, refused)).toMatchObject({ state: 'failed' });

    const histories = await closed([good, refused]);

    recordIfAsked('ingest-file', histories);
    expect(histories).toHaveLength(2);
    expect(await replay(histories)).toEqual([]);
  });

  it('replay turns: several kinds of tools, an extension’s decision', async () => {
    const noting = await runtime.anAgent();
    models.script(
      callOf('core_memory_append', { label: 'human', content: 'Has a boat.', request_heartbeat: true }),
      callOf('archival_memory_insert', { content: 'The boat is red.', request_heartbeat: true }),
      saying('Noted.'),
    );
    expect(await runtime.tell(noting, 'I have a red boat.')).toMatchObject({ state: 'completed', steps: 3 });
    const decided = await createAgents(runtime.db, testVault, {
      ...{ agentType: 'memgpt_agent', model: 'scripted/model', embedding: 'test/embedding' },
    }).create({
      name: 'worker',
      memory: new TaskMemory({ human: '', persona: '', tasks: ['rest'] }),
      extension: 'task-list',
    });
    models.script(callOf('task_pop', { request_heartbeat: false }), saying('Rested.'));
    expect(await runtime.tell(decided, 'Work.')).toMatchObject({ state: 'completed', steps: 2 });

    const histories = await closed([noting.id, decided.id]);

    recordIfAsked('agent-turn', histories);
    expect(activitiesOf(histories[0]!)).toContain('editBlock');
    expect(activitiesOf(histories[1]!)).toContain('decideStep');
    expect(await replay(histories)).toEqual([]);
  });

  it('replay a group’s talk', async () => {
    const agents = [await runtime.anAgent({ name: 'Ann' }), await runtime.anAgent({ name: 'Bob' })];
    const group = await createGroup(runtime.db, {
      ...{ managerType: 'round_robin', description: 'Plans.', agentIds: agents.map(({ id }) => id) },
    });
    models.script(saying('Bread.'), saying('Cheese.'));
    const { talk } = await runtime.talks.send({
      groupId: group.id,
      messages: [{ role: 'user', content: 'What shall we bring?' }],
    });
    expect(await runtime.talks.result(talk.id)).toMatchObject({ state: 'completed' });

    const histories = await closed([group.id]);

    recordIfAsked('group-talk', histories);
    expect(histories).toHaveLength(1);
    expect(await replay(histories)).toEqual([]);
  });

  it('replay a turn’s report', async () => {
    const receiver = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const agent = await runtime.anAgent();
    models.script(saying('Done.'));
    const callbackUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'Do it.' }],
      options: { callbackUrl },
    });
    expect(await runtime.turns.result(turn.id)).toMatchObject({ state: 'completed' });
    await runtime.reports.start(turn.id);

    const histories = await closed([`report-${turn.id}`]);
    receiver.close();

    recordIfAsked('report-turn', histories);
    expect(histories).toHaveLength(1);
    expect(await replay(histories)).toEqual([]);
  });

  it('replay activity tools: answered, failed', async () => {
    const users = await startActivityWorker(runtime, {
      greet: () => Promise.resolve('Hello.'),
      fail: () => Promise.reject(new Error('no seat left')),
    });
    const calls: string[] = [];
    for (const name of ['greet', 'fail']) {
      const agent = await anActivityAgent(runtime, { name, target: { taskQueue: users.taskQueue } });
      models.script(callOf(name, { request_heartbeat: true }), saying('Done.'));
      expect(await runtime.tell(agent, 'Go.')).toMatchObject({ state: 'completed' });
      const [effect] = await runtime.db
        .selectFrom('effects')
        .select('id')
        .where('tool_name', '=', name)
        .execute();
      calls.push(effect!.id);
    }
    await users.stop();

    const histories = await closed(calls);

    recordIfAsked('activity-tool', histories);
    expect(histories).toHaveLength(2);
    expect(await replay(histories)).toEqual([]);
  });
});
