import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { packageFile, spawnProgram } from '../stack/processes.js';
import { makeAgent, say } from './api.js';
import type { BenchStack } from './bench-stack.js';
import { judged, print, summarise, table } from './figures.js';
import { nextAnswer, tellModel } from './held-answers.js';
import type { AnswerNotice } from './instant-model.js';

const model = 'append-2';
/** 0-based. */
const killedStep = 1;
const killed = { model, step: killedStep };
const healthyAfterMs = 5_500;
const rounds = 10;
/** The standby worker runs for so long before the first worker is killed. It has not run a turn by then. */
const standsByMs = 1_000;
/** A workflow task that the dead worker had started goes to another worker after its time-out of 2 s. */
const aims = {
  'in a model call': { 'standing by': 1_500, 'started again': 2_500 },
  between: { 'standing by': 3_500, 'started again': 4_500 },
} as const;
const pauseMs = 20_000;

/** When the worker is killed: during the second step's answer, or after the model sent all of it. */
type Moment = 'in a model call' | 'between';
/** Which worker takes over: the one that the supervisor starts, or a standby. */
type Successor = 'started again' | 'standing by';

/** Measures the time from kill -9 of the worker to the REST answer of a turn of three steps. */
export async function benchRecovery(bench: BenchStack): Promise<void> {
  const rows: string[][] = [];
  for (const moment of ['in a model call', 'between'] as const) {
    for (const successor of ['started again', 'standing by'] as const) {
      const times: number[] = [];
      for (let round = 0; round < rounds; round += 1) times.push(await killOnce(bench, moment, successor));
      const worst = Math.max(...times);
      const aimMs = aims[moment][successor];
      rows.push([
        moment,
        successor,
        judged(summarise(times).p50, aimMs, 'lower'),
        judged(worst, aimMs, 'lower'),
      ]);
    }
  }
  print(`\n## Recovery: ms from kill -9 of the worker to the turn's answer, ${rounds} kills each\n`);
  print(table([['killed', 'next worker', 'median', 'worst'], ...rows]));
  await benchPause(bench);
}

/** Pauses the worker with SIGSTOP in a model call and counts how often the model is called. */
async function benchPause(bench: BenchStack): Promise<void> {
  const { stack } = bench;
  await stack.worker.whenReady();
  const agentId = await makeAgent(stack, model);
  tellModel(bench, { hold: killed });
  const half = nextAnswer(bench, killed, true);
  let calls = 0;
  const count = ({ model: asked, step }: AnswerNotice): void => {
    if (asked === model && step === killedStep) calls += 1;
  };
  const answered = say(stack, agentId);
  await half;
  bench.model.process.on('message', count);
  const endStandby = await startStandby(bench);
  stack.worker.kill('SIGSTOP');
  await delay(pauseMs);
  tellModel(bench, 'go on');
  stack.worker.kill('SIGCONT');
  await answered;
  bench.model.process.off('message', count);
  await endStandby();
  print(
    `\nSIGSTOP for ${pauseMs / 1_000} s in a model call: calls to the model: ${judged(calls, 1, 'lower')}.`,
  );
}

async function killOnce(bench: BenchStack, moment: Moment, successor: Successor): Promise<number> {
  const { stack } = bench;
  await stack.worker.whenReady();
  // The supervisor waits longer and longer before it restarts a worker that ended sooner than this after its start.
  await delay(healthyAfterMs);
  const agentId = await makeAgent(stack, model);
  tellModel(bench, { hold: killed });
  const half = nextAnswer(bench, killed, true);
  const answered = say(stack, agentId);
  await half;
  const endStandby = successor === 'standing by' ? await startStandby(bench) : undefined;
  if (endStandby !== undefined) await delay(standsByMs);
  if (moment === 'between') {
    const whole = nextAnswer(bench, killed, false);
    tellModel(bench, 'go on');
    await whole;
  }
  const killedAt = performance.now();
  stack.worker.kill('SIGKILL');
  await answered;
  const took = performance.now() - killedAt;
  await stack.worker.whenReady();
  await endStandby?.();
  return took;
}

/** Another worker of the same stack. Returns how to end it. */
async function startStandby({ env, stack }: BenchStack): Promise<() => Promise<void>> {
  const { child } = spawnProgram({
    name: 'standby',
    entry: packageFile('worker/main.ts'),
    env: { ...env, DATABASE_URL: stack.databaseUrl, TEMPORAL_ADDRESS: stack.temporalAddress },
    logFile: `${stack.home}/logs/standby.log`,
  });
  await once(child, 'message');
  return async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
}
