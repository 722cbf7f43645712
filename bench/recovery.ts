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
/** For how long another worker has been up when the first one is killed. It has not run a turn yet. */
const standsByMs = 1_000;
/** A workflow task that the dead worker had begun is given to another one after its time-out of 2 s. */
const aims = {
  'in a model call': { 'standing by': 1_500, 'started again': 2_500 },
  between: { 'standing by': 3_500, 'started again': 4_500 },
} as const;
const pauseMs = 20_000;

/** When the worker is killed: in the middle of the second step's answer, or once the whole of it went out. */
type Moment = 'in a model call' | 'between';
/** Who goes on: the supervisor's new worker, or one that stands by. */
type Successor = 'started again' | 'standing by';

/** kill -9 of the worker until the turn's REST answer, with a turn of three steps. */
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
  print(`\n## Recovery: kill -9 of the worker until the turn's answer, ms over ${rounds} kills\n`);
  print(table([['killed', 'next worker', 'median', 'worst'], ...rows]));
  await benchPause(bench);
}

/** SIGSTOP of the worker in a model call: how often the call was made. */
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
    `\nSIGSTOP for ${pauseMs / 1_000} s in a model call: answered by ${judged(calls, 1, 'lower')} call to the model.`,
  );
}

async function killOnce(bench: BenchStack, moment: Moment, successor: Successor): Promise<number> {
  const { stack } = bench;
  await stack.worker.whenReady();
  // Killed in its youth, a worker is taken for a broken one, and started again later and later.
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
