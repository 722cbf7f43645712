import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { findCanary, makeCanary } from '../support/runtime/canary.js';
import { describeHunt, huntCanary } from '../support/run/canary-hunt.js';
import { testTemporal } from '../support/runtime/temporal.js';

describe('a canary', () => {
  it('is found by any part too long to occur by chance, in any letter case', () => {
    const canary = makeCanary();

    expect(findCanary(`…${canary}…`, canary)).toBe(canary.slice(0, 10));
    expect(findCanary(`cut off: ${canary.slice(-10).toUpperCase()}`, canary)).toBe(canary.slice(-10));
    expect(findCanary(`${canary.slice(0, 9)} ${canary.slice(10, 19)}`, canary)).toBeUndefined();
    expect(findCanary(makeCanary(), canary)).toBeUndefined();
  });

  it('fails a run if a planted copy is not found, or if a whole run has no histories', () => {
    const found = { input: true, signal: true, failure: true };

    expect(describeHunt({ histories: 3, finds: [], planted: found }, true)).toBeUndefined();
    expect(describeHunt({ histories: 0, finds: [], planted: found }, false)).toBeUndefined();
    expect(describeHunt({ histories: 0, finds: [], planted: found }, true)).toMatch(/no history/);
    const missed = { ...found, failure: false };
    expect(describeHunt({ histories: 3, finds: [], planted: missed }, true)).toMatch(/planted: failure\.$/);
  });
});

describe('[scale.history] the hunt for content', () => {
  const leaked = makeCanary();
  const kept = makeCanary();
  // Earlier histories belong to other test files and take long to read.
  const since = new Date();
  let connection: Connection;

  beforeAll(async () => {
    const { address, namespace } = testTemporal();
    connection = await Connection.connect({ address });
    const client = new Client({ connection, namespace });
    const plant = async (type: string, workflowId: string, said: string) => {
      const options = { workflowId, taskQueue: 'nobody', args: [{ said: [`It is ${said}.`] }] };
      await (await client.workflow.start(type, options)).terminate('planted');
    };
    await plant('activityTool', 'effect-of-a-user', kept);
    await plant('leak', 'effect-leak', leaked);
  });

  afterAll(async () => {
    await connection.close();
  });

  it('finds content in a history and names the history', async () => {
    const problem = describeHunt(await huntCanary(testTemporal(), leaked, since), false);

    expect(problem).toMatch(/^1 histories hold content:\neffect-leak: … .*It is /);
  });

  it('ignores content in the call of a user’s own activity', async () => {
    const hunt = await huntCanary(testTemporal(), kept, since);

    expect(describeHunt(hunt, false)).toBeUndefined();
    expect(hunt.histories).toBeGreaterThan(0);
  });
});
