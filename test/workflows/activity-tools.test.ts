import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Activities } from '../../activities/index.js';
import { listMessages } from '../../schema/threads/messages.js';
import {
  anActivityAgent,
  startActivityWorker,
  type ActivityWorker,
} from '../support/tools/activity-workers.js';
import { runCanary } from '../support/runtime/canary.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

// Wide enough for arguments of 256 KiB.
const models = createScriptedModels([], { contextWindow: 1_000_000 });
let runtime: TestRuntime;
let users: ActivityWorker;
/** The arguments of calls to the user's activities. */
const calls: unknown[] = [];
const naps: { begun: () => void; ended: (how: string) => void } = {
  begun: () => undefined,
  ended: () => undefined,
};

const activities = {
  greet: (args: { name: string }) => {
    calls.push(args);
    return Promise.resolve(`Hello ${args.name}. ${runCanary()}`);
  },
  count: () => Promise.resolve({ seats: [1, 2] }),
  repeat: () => Promise.resolve('tick'.repeat(500)),
  fail: () => Promise.reject(ApplicationFailure.create({ type: 'SeatError', message: 'no seat left' })),
  flaky: () => {
    calls.push('flaky');
    return calls.length < 2 ? Promise.reject(new Error('away')) : Promise.resolve('second time');
  },
  async nap() {
    naps.begun();
    const beat = setInterval(() => {
      Context.current().heartbeat();
    }, 100);
    try {
      await Context.current().cancelled;
    } catch (error) {
      naps.ended('cancelled');
      throw error;
    } finally {
      clearInterval(beat);
    }
  },
};

beforeAll(async () => {
  runtime = await startRuntime({ models });
  users = await startActivityWorker(runtime, activities);
});
afterAll(async () => {
  await users.stop();
  await runtime.close();
});
beforeEach(() => {
  calls.length = 0;
});

/** Runs a turn in which the agent calls the tool and then speaks. Returns the tool result. */
async function resultOf(
  tool: string,
  args: Record<string, unknown>,
  options: object = {},
  returnLimit?: number,
) {
  const agent = await anActivityAgent(runtime, {
    name: tool,
    target: { taskQueue: users.taskQueue, ...options },
    ...(returnLimit === undefined ? {} : { returnLimit }),
  });
  models.script(callOf(tool, { ...args, request_heartbeat: true }), saying('Done.'));
  expect(await runtime.tell(agent, 'Go.')).toMatchObject({ state: 'completed', steps: 2 });
  const [message] = await listMessages(runtime.db, { threadId: agent.id, kinds: ['tool'] }, { order: 'asc' });
  return message?.body as { status: string; content: string };
}

describe('[tools.activity-run] an activity tool of a user’s own worker', () => {
  let worker: { stop(): Promise<void> };
  beforeAll(async () => {
    worker = await runtime.startWorker();
  });
  afterAll(() => worker.stop());

  it('receives the arguments as one object and returns its result to the model', async () => {
    const told = await resultOf('greet', { name: `Ada ${runCanary()}` });

    expect(told).toMatchObject({ status: 'success', content: `Hello Ada ${runCanary()}. ${runCanary()}` });
    expect(calls).toEqual([{ name: `Ada ${runCanary()}` }]);
  });

  it('returns non-text results as JSON, and any result cut to the tool’s limit', async () => {
    expect(await resultOf('count', {})).toMatchObject({ status: 'success', content: '{"seats":[1,2]}' });
    expect((await resultOf('repeat', {}, {}, 100)).content.length).toBeLessThan(400);
  });

  it('returns its exception as a tool error', async () => {
    expect(await resultOf('fail', {})).toMatchObject({
      status: 'error',
      content: 'Error executing function fail: SeatError: no seat left',
    });
  });

  it('is retried as often as the tool allows', async () => {
    expect(await resultOf('flaky', {}, { attempts: 2 })).toMatchObject({ content: 'second time' });
    expect(calls).toHaveLength(2);
  });

  it('reports a task queue without a worker [tools.activity-away]', async () => {
    const told = await resultOf(
      'greet',
      { name: 'Ada' },
      { taskQueue: 'nobody-polls', scheduleToStartMs: 1000 },
    );

    expect(told).toMatchObject({
      status: 'error',
      content: expect.stringMatching(/task queue 'nobody-polls' within 1 s, so it was not run/),
    });
  });

  it('is not called with too many bytes or on perdure’s own queue [tools.activity-bounds]', async () => {
    const much = await resultOf('greet', { name: 'a'.repeat(256 * 1024) });
    expect(much).toMatchObject({
      status: 'error',
      content: expect.stringMatching(
        /^greet was not called: its arguments have 2621\d\d bytes, but at most 262144 are allowed/,
      ),
    });

    const own = await resultOf('settleTurn', {}, { taskQueue: runtime.taskQueue });
    expect(own).toMatchObject({
      status: 'error',
      content: expect.stringMatching(/TaskQueueError: .*own workers/),
    });
    expect(calls).toEqual([]);
  });

  it('is cancelled with its turn [tools.activity-cancel]', async () => {
    const begun = new Promise<void>((resolve) => (naps.begun = resolve));
    const ended = new Promise<string>((resolve) => (naps.ended = resolve));
    const agent = await anActivityAgent(runtime, {
      name: 'nap',
      target: { taskQueue: users.taskQueue, keepAliveMs: 5_000 },
    });
    models.script(callOf('nap', {}));
    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'Sleep.' }],
    });
    await begun;

    await runtime.turns.cancel(turn.id);

    expect(await runtime.turns.result(turn.id)).toMatchObject({ state: 'cancelled' });
    expect(await ended).toBe('cancelled');
  });
});

describe('[tools.activity-once] an activity tool whose worker was lost', () => {
  let worker: { stop(): Promise<void> };
  afterEach(() => worker.stop());

  it('is not run again: the next attempt collects its result', async () => {
    let lost = 0;
    const wrap = (all: Activities): Activities => ({
      ...all,
      runTool: async (input) => {
        if (lost > 0) return all.runTool(input);
        lost += 1;
        // The activity workflow ends, but its result is not stored.
        await runtime.temporal.workflow.start('activityTool', {
          workflowId: input.effectId,
          taskQueue: runtime.taskQueue,
          args: [{ target: { ...target, taskQueue: users.taskQueue }, args: { name: 'Ada' } }],
        });
        await runtime.temporal.workflow.getHandle(input.effectId).result();
        throw new Error('The worker died.');
      },
    });
    worker = await runtime.startWorker({ wrap });

    const told = await resultOf('greet', { name: 'Ada' });

    expect(told).toMatchObject({ status: 'success', content: expect.stringMatching(/^Hello Ada\./) });
    expect(calls).toHaveLength(1);
  });
});

const target = {
  name: 'greet',
  scheduleToStartMs: 10_000,
  startToCloseMs: 10_000,
  keepAliveMs: null,
  attempts: 1,
};
