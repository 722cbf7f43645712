import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { withChaos } from '../support/chaos.js';
import { scenarioModel } from '../support/kills/kill-scenario.js';
import type { ModelServer } from '../support/model-server.js';
import { compileForRun } from '../support/run/compiled.js';
import { createTestDatabase, type TestDatabase } from '../support/runtime/postgres.js';

/** Writes of the loop's first message: four tools with a line and an effect each (one without), the answer's line, the mark. */
const killedAfter = withChaos([1, 4, 8], [2, 6]);

describe('the control: a loop without the runtime, killed and started again', () => {
  let database: TestDatabase;
  let model: ModelServer;
  let client: pg.Client;
  let program: string;

  beforeAll(async () => {
    program = await compileForRun('test/support/naive-worker.ts');
    database = await createTestDatabase();
    model = await scenarioModel();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });

  afterAll(async () => {
    await client.end();
    await model.close();
    await database.drop();
  });

  const run = async (freezeAfter: number): Promise<void> => {
    const child = spawn(process.execPath, [program], {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        DATABASE_URL: database.url,
        OPENAI_BASE_URL: model.baseUrl,
        FREEZE_AFTER: String(freezeAfter),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const gone = once(child, 'exit');
    child.stdout.on('data', (text: Buffer) => {
      if (text.toString().includes('frozen')) child.kill('SIGKILL');
    });
    await gone;
  };

  const remains = async () => {
    const read = async (text: string) =>
      (await client.query<{ value: string }>(text)).rows.map((row) => row.value);
    return {
      transcript: await read('select line as value from naive_transcript order by id'),
      block: await read('select value from naive_block'),
      passages: await read('select words as value from naive_passages'),
    };
  };

  const scenario = async (freezeAfter: number) => {
    await client.query(`
      drop table if exists naive_inbox, naive_transcript, naive_block, naive_passages;
      create table naive_inbox (id serial, words text, done boolean not null default false);
      create table naive_transcript (id serial, line text);
      create table naive_block (value text);
      create table naive_passages (words text);
      insert into naive_block values ('Their name is Sid.');
      insert into naive_inbox (words) values ('first message');`);
    await run(freezeAfter);
    if (freezeAfter > 0) await run(0);
    return remains();
  };

  it('fails the test that the runtime passes, wherever it is killed [turn.kill-control]', async () => {
    const undisturbed = await scenario(0);
    const disturbed = [];
    for (const freezeAfter of killedAfter) disturbed.push(await scenario(freezeAfter));

    expect(undisturbed.transcript).toHaveLength(5);
    for (const remaining of disturbed) expect(remaining).not.toEqual(undisturbed);
  });
});
