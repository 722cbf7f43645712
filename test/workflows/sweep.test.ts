import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { createBell } from '../../client/bell.js';
import { releaseChore, claimChores } from '../../schema/db/chore-claims.js';
import { waitFor } from '../../stack/waiting.js';
import { sweep } from '../../worker/sweep.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { createScriptedModels } from '../support/models/scripted-model.js';

describe('the sweep', () => {
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models: createScriptedModels() });
  });

  afterAll(async () => {
    await runtime.close();
  });

  it('runs as often for many workers as for one [scale.sweep-pace]', async () => {
    let caughtUp = 0;
    const schedules = {
      ...runtime.schedules,
      catchUp: () => {
        caughtUp += 1;
        return Promise.resolve();
      },
    };
    const workers = Array.from({ length: 50 }, () => ({ ...runtime, schedules }));

    for (let round = 0; round < 3; round += 1) {
      await Promise.all(workers.map((deps) => sweep(deps, { everyMs: 60_000 })));
    }

    expect(caughtUp).toBe(1);
  });

  it('completes its other parts when one hangs, and tries that one again later [scale.sweep-stuck]', async () => {
    const agent = await runtime.anAgent();
    let tries = 0;
    const stuck = {
      ...runtime,
      schedules: {
        ...runtime.schedules,
        catchUp: () => {
          tries += 1;
          return new Promise<void>(() => undefined);
        },
      },
    };
    const failures: unknown[] = [];
    const onFailed = (error: unknown) => failures.push(error);
    const purged = async () => {
      await runtime.db
        .updateTable('agents')
        .set({ deleted_at: new Date(Date.now() - 120_000) })
        .where('id', '=', agent.id)
        .execute();
      await sweep({ ...stuck, onFailed }, { limitMs: 300 });
      return runtime.db.selectFrom('agents').select('id').where('id', '=', agent.id).execute();
    };

    expect(await purged()).toEqual([]);
    await sweep({ ...stuck, onFailed }, { limitMs: 300 });

    expect(tries).toBe(2);
    expect(failures).toEqual([expect.any(Error), expect.any(Error)]);
  });

  it('takes over a chore of a dead worker [scale.sweep-pace]', async () => {
    const chore = { names: ['a chore'], everyMs: 0 };

    const dead = await claimChores(runtime.db, { ...chore, holder: 'dead', holdMs: 300 });
    const early = await claimChores(runtime.db, { ...chore, holder: 'next', holdMs: 60_000 });
    const later = await waitFor(
      async () => {
        const taken = await claimChores(runtime.db, { ...chore, holder: 'next', holdMs: 60_000 });
        return taken.length > 0 ? taken : undefined;
      },
      { timeoutMs: 20_000, everyMs: 50 },
    );
    await releaseChore(runtime.db, 'a chore', 'dead');
    const held = await claimChores(runtime.db, { ...chore, holder: 'third', holdMs: 60_000 });

    expect({ dead, early, later, held }).toEqual({
      ...{ dead: ['a chore'], early: [], later: ['a chore'], held: [] },
    });
  });

  it('finds one lost turn among 10,000 slow ones at once [scale.sweep-lost]', async () => {
    const silent = 10_000;
    const agent = await runtime.anAgent();
    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'think long' }],
    });
    await sql`
      insert into threads (id, agent_id, is_default)
      select 'slow-' || n, ${agent.id}, false from generate_series(1, ${silent}::int) as n`.execute(
      runtime.db,
    );
    await sql`
      insert into turns (id, thread_id, agent_id, state, execution_id, touched_at)
      select 'slow-run-' || n, 'slow-' || n, ${agent.id}, 'running', 'some', now() - interval '1 minute'
      from generate_series(1, ${silent}::int) as n`.execute(runtime.db);
    const lost = 'slow-777';
    const rung: string[] = [];
    let asked = 0;
    const bell = {
      ...runtime.bell,
      awake: async () => {
        const ids = Array.from({ length: silent }, (_, index) => `slow-${index + 1}`);
        return Promise.resolve(new Set(ids.filter((id) => id !== lost)));
      },
      isAwake: (threadId: string) => {
        asked += 1;
        return Promise.resolve(threadId !== lost);
      },
      ring: ({ threadId }: { threadId: string }) => {
        rung.push(threadId);
        return Promise.resolve();
      },
    };

    const swept = await sweep({ ...runtime, bell });
    await runtime.db.deleteFrom('threads').where('id', 'like', 'slow-%').execute();
    await runtime.turns.cancel(turn.id);

    expect(rung).toEqual([lost]);
    expect(swept.threads).toBe(1);
    expect(asked).toBeLessThan(100);
  });

  it('asks Temporal for the awake threads, page by page [scale.sweep-lost]', async () => {
    const [slow, pageSize] = [110, 50];
    const agent = await runtime.anAgent();
    const threads = Array.from({ length: slow + 1 }, (_, index) => `real-${index}`);
    const [lost = '', ...awake] = threads;
    // No worker polls this queue, so executions there stay open.
    const bell = createBell(runtime.temporal, 'nobody works here', { pageSize });
    let asked = 0;
    const counting = {
      ...bell,
      isAwake: (threadId: string) => {
        asked += 1;
        return bell.isAwake(threadId);
      },
    };
    await sql`
      insert into threads (id, agent_id, is_default)
      select id, ${agent.id}, false from unnest(${threads}::text[]) as id`.execute(runtime.db);
    await sql`
      insert into turns (id, thread_id, agent_id, state, execution_id, touched_at)
      select 'run-' || id, id, ${agent.id}, 'running', 'some', now() - interval '1 minute'
      from unnest(${threads}::text[]) as id`.execute(runtime.db);
    await Promise.all(awake.map((threadId) => bell.ring({ threadId, agentId: agent.id })));
    await waitFor(async () => (await bell.awake()).size === slow || undefined, { timeoutMs: 60_000 });

    const swept = await sweep({ ...runtime, bell: counting });
    const isRung = await bell.isAwake(lost);
    await runtime.db.deleteFrom('threads').where('id', 'like', 'real-%').execute();

    expect({ threads: swept.threads, isRung }).toEqual({ threads: 1, isRung: true });
    expect(asked).toBeLessThan(50);
  });
});
