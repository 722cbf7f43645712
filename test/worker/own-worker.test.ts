import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { connect, type Perdure } from '../../client/library.js';
import { createWorker, type OpenWorker } from '../../worker/library.js';
import { type ActivityToolInput, activityToolType } from '../../workflows/protocol.js';
import { createTestDatabase, type TestDatabase } from '../support/runtime/postgres.js';
import { testTemporal } from '../support/runtime/temporal.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';
import { aSecretKey } from '../support/runtime/vault.js';

const { address, namespace } = testTemporal();
const taskQueue = `test-${randomUUID()}`;

let database: TestDatabase;
let env: Record<string, string>;
let worker: OpenWorker;
let running: Promise<void>;
let perdure: Perdure;

beforeAll(async () => {
  database = await createTestDatabase();
  env = {
    ...{ DATABASE_URL: database.url, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace },
    ...{ PERDURE_TASK_QUEUE: taskQueue, PERDURE_HOME: makeTemporaryDirectory('own-worker') },
    PERDURE_SECRET_KEY: aSecretKey('test').bytes.toString('hex'),
  };
  worker = await createWorker({
    env,
    activities: { lookUp: ({ word }: { word: string }) => Promise.resolve(`${word}!`) },
  });
  running = worker.run();
  perdure = await connect({ env });
});

afterAll(async () => {
  await perdure.close();
  worker.shutdown();
  await running;
  await database.drop();
});

describe('[package.worker] a user’s own worker', () => {
  it('runs turns of agents', async () => {
    const blocks = [{ label: 'human', value: 'Name: ?' }];
    const agent = await perdure.agents.create({ name: 'sam', model: 'perdure/demo', blocks });

    const { turn } = await perdure.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'I live in Oslo.' }],
    });

    expect(await perdure.turns.result(turn.id)).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
    expect((await perdure.agents.blocks(agent.id))[0]?.value).toContain('Oslo');
  });

  it('runs the user’s activities', async () => {
    const connection = await Connection.connect({ address });
    const input: ActivityToolInput = {
      target: {
        ...{ name: 'lookUp', taskQueue, attempts: 1, keepAliveMs: null },
        ...{ scheduleToStartMs: 60_000, startToCloseMs: 60_000 },
      },
      args: { word: 'tea' },
    };

    const answer: unknown = await new Client({ connection, namespace }).workflow.execute(activityToolType, {
      ...{ taskQueue, workflowId: randomUUID(), args: [input] },
    });
    await connection.close();

    expect(answer).toBe('tea!');
  });

  it('refuses an activity with the name of a built-in one', async () => {
    await expect(createWorker({ env, activities: { callModel: () => Promise.resolve() } })).rejects.toThrow(
      new TypeError('perdure has activities of these names itself: callModel.'),
    );
  });
});
