import { once } from 'node:events';
import { packageFile, spawnProgram } from '../stack/processes.js';
import { makeAgent, say } from './api.js';
import type { BenchStack } from './bench-stack.js';
import { judged, print, summarise, table } from './figures.js';
import type { AnswerNotice, HoldOrder } from './instant-model.js';

const model = 'append-2';
const rounds = 5;
const aimMs = 5_000;

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
      const { p50, p95 } = summarise(times);
      rows.push([moment, successor, judged(p50, aimMs, 'lower'), p95.toFixed(0)]);
    }
  }
  print(`\n## Recovery: kill -9 of the worker until the turn's answer, ms over ${rounds} kills\n`);
  print(table([['killed', 'next worker', 'median', 'worst'], ...rows]));
}

async function killOnce(bench: BenchStack, moment: Moment, successor: Successor): Promise<number> {
  const { stack } = bench;
  await stack.worker.whenReady();
  const agentId = await makeAgent(stack, model);
  const reached = answerTo(bench, { model, step: 1 }, moment === 'in a model call');
  const answered = say(stack, agentId);
  await reached;
  const killed = stack.worker;
  const standby = successor === 'standing by' ? await startStandby(bench) : undefined;
  const killedAt = performance.now();
  killed.kill('SIGKILL');
  await answered;
  const took = performance.now() - killedAt;
  await stack.worker.whenReady();
  if (standby !== undefined) await standby();
  return took;
}

/** Resolves when the model answers that step; `held`: when half of the answer went out, and the rest never will. */
function answerTo({ model: child }: BenchStack, order: HoldOrder, held: boolean): Promise<void> {
  return new Promise((resolve) => {
    const listen = (notice: AnswerNotice): void => {
      if (notice.model !== order.model || notice.step !== order.step || notice.held !== held) return;
      child.process.off('message', listen);
      resolve();
    };
    child.process.on('message', listen);
    if (held) child.process.send(order);
  });
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
