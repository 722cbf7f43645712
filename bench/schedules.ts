import { createScheduleSync } from '../client/schedule-sync.js';
import { createSchedules } from '../client/schedules.js';
import { makeAgent } from './api.js';
import type { BenchStack } from './bench-stack.js';
import { print, shown, summarise, table } from './figures.js';
import { residentMiB } from './memory-use.js';

const count = 1_000;
const atOnce = 8;

/** Measures how long it takes to create and list many schedules, and how much memory they cost the worker while none is due. */
export async function benchSchedules(bench: BenchStack): Promise<void> {
  const {
    stack,
    database: { db },
    temporal,
  } = bench;
  const schedules = createSchedules({ db, sync: createScheduleSync(db, temporal, 'perdure') });
  const agentId = await makeAgent(stack, 'say');
  const before = residentMiB(bench.pids()['worker']);
  const times: number[] = [];
  const startedAt = performance.now();
  let next = 0;
  const makeSome = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      const began = performance.now();
      await schedules.scheduleMessages({
        agentId,
        messages: [{ role: 'user', content: 'It is time.' }],
        timing: {
          ...{ kind: 'cron', cron: '0 3 1 1 *', timezone: 'UTC', jitterMs: 3_600_000 },
          ...{ overlap: 'skip', catchupMs: 600_000 },
        },
      });
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, makeSome));
  const took = performance.now() - startedAt;
  const listing = performance.now();
  const listed = await schedules.list({ kind: 'message', agentId });
  const listedIn = performance.now() - listing;
  const { p50, p95 } = summarise(times);
  const grown = residentMiB(bench.pids()['worker']) - before;
  print(`\n## Schedules: ${count} crons of messages, created ${atOnce} at once\n`);
  print(
    table([
      ['created/s', 'p50 ms', 'p95 ms', 'list all, ms', 'listed', 'worker grew, MiB'],
      [
        shown((count / took) * 1_000),
        shown(p50),
        shown(p95),
        shown(listedIn),
        String(listed.length),
        shown(grown),
      ],
    ]),
  );
}
