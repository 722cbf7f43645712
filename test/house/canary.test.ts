import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { findCanary, makeCanary } from '../support/canary.js';
import { describeHunt } from '../support/canary-hunt.js';
import { runNestedJest } from '../support/nested-jest.js';
import { testTemporal } from '../support/temporal.js';
import { makeTemporaryDirectory } from '../support/temporary.js';

describe('a canary', () => {
  it('is found by any part that can’t be there by chance, in whatever case', () => {
    const canary = makeCanary();

    expect(findCanary(`…${canary}…`, canary)).toBe(canary.slice(0, 10));
    expect(findCanary(`cut off: ${canary.slice(-10).toUpperCase()}`, canary)).toBe(canary.slice(-10));
    expect(findCanary(`${canary.slice(0, 9)} ${canary.slice(10, 19)}`, canary)).toBeUndefined();
    expect(findCanary(makeCanary(), canary)).toBeUndefined();
  });

  it('that was planted and not found fails a run, and so does a whole run without histories', () => {
    const found = { input: true, signal: true, failure: true };

    expect(describeHunt({ histories: 3, finds: [], planted: found }, true)).toBeUndefined();
    expect(describeHunt({ histories: 0, finds: [], planted: found }, false)).toBeUndefined();
    expect(describeHunt({ histories: 0, finds: [], planted: found }, true)).toMatch(/no history/);
    const missed = { ...found, failure: false };
    expect(describeHunt({ histories: 3, finds: [], planted: missed }, true)).toMatch(/planted: failure\.$/);
  });
});

describe('[scale.history] a run of the tests', () => {
  const leaked = makeCanary();
  const kept = makeCanary();
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

  const run = (canary: string) =>
    runNestedJest({
      directory: makeTemporaryDirectory('canary'),
      tests: `it('passes', () => {});`,
      reporters: [['canary-reporter.js', { canary }]],
    });

  it('fails, as one test more, when a history holds content', async () => {
    const outcome = await run(leaked);
    expect(outcome).toMatchObject({ code: 1, lastLine: '1 passed, 1 failed' });
    expect(outcome.stderr).toMatch(/1 histories hold content:\neffect-leak: … .*It is /);
  });

  it('passes when none does but the call of a user’s own activity, and says how many it read', async () => {
    const outcome = await run(kept);
    expect(outcome).toMatchObject({ code: 0, lastLine: '1 passed, 0 failed' });
    expect(outcome.stderr).toMatch(/^[1-9]\d* histories decoded, no content found$/m);
  });
});
