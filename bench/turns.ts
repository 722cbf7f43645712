import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { makeAgent, say } from './api.js';
import type { BenchStack } from './bench-stack.js';
import { cpuTimes } from './cpu.js';
import { judged, print, shown, summarise, table } from './figures.js';

interface Shape {
  readonly name: 'one step' | 'five steps';
  readonly steps: number;
  readonly model: string;
  readonly concurrency: number;
  /** Turns of each lane in a round. */
  readonly turns: number;
}

const shapes: readonly Shape[] = [
  { name: 'one step', steps: 1, model: 'say', concurrency: 1, turns: 25 },
  { name: 'one step', steps: 1, model: 'say', concurrency: 16, turns: 8 },
  { name: 'five steps', steps: 5, model: 'append-4', concurrency: 1, turns: 10 },
  { name: 'five steps', steps: 5, model: 'append-4', concurrency: 16, turns: 3 },
];
const rounds = 4;
/** Turns of each side that don't count. Until then, the processes are still compiling their code. */
const warmUpTurns = { 'one step': 640, 'five steps': 160 };
/** Silences that a single turn follows, as in a talk with a person. */
const silences = { count: 10, ms: 12_000 };
/** What a turn may cost beside the floor: times its median, and the share of its throughput. */
const aims = { p50: 1.5, throughput: 0.7 };
/** Letta 0.16.8 on such a machine: ms per turn, one at a time, and turns/s at 16 at once. */
const letta = { oneStepMs: 189, oneStepRate: 6.7, fiveStepsMs: 901 };

/** The measurements of one side for one shape of turn. */
interface Series {
  readonly times: number[];
  readonly rates: number[];
  readonly cpu: Map<string, number>;
}

/** Compares turns over REST with bare workflows of as many activities. Both alternate on the same servers. */
export async function benchTurns(bench: BenchStack): Promise<void> {
  await warmUp(bench);
  const rows: string[][] = [];
  const costs: string[][] = [];
  for (const shape of shapes) {
    const [ours, floor, working] = [emptySeries(), emptySeries(), emptySeries()];
    for (let round = 0; round < rounds; round += 1) {
      await playRound(bench, shape, floor, floorLanes);
      await playRound(bench, shape, working, workingLanes);
      await playRound(bench, shape, ours, ourLanes);
    }
    rows.push(...compared(shape, { ours, floor, working }));
    costs.push(
      costOf(bench, shape, 'perdure', ours),
      costOf(bench, shape, 'floor', floor),
      costOf(bench, shape, 'with work', working),
    );
  }
  print(
    '\n## Turns: REST, compared with bare workflows that have the same activities. In the floor these do nothing; with work, each is a transaction, and a step also calls the model.\n',
  );
  print(
    table([
      ['turn', 'at once', 'side', 'p50 ms', 'p95 ms', 'turns/s', 'p50 ÷ floor', 'turns/s ÷ floor'],
      ...rows,
    ]),
  );
  print(
    `\nLetta 0.16.8 on such a machine, in another run: one step ${letta.oneStepMs} ms, ${letta.oneStepRate} turns/s at 16 at once, five steps ${letta.fiveStepsMs} ms.`,
  );
  print('\nCPU ms per turn, by process:\n');
  print(table([['turn', 'at once', 'side', ...Object.keys(bench.pids())], ...costs]));
  await benchSilence(bench);
}

async function warmUp(bench: BenchStack): Promise<void> {
  for (const shape of shapes.filter(({ concurrency }) => concurrency > 1)) {
    const turns = warmUpTurns[shape.name] / shape.concurrency;
    for (const lanes of [floorLanes, workingLanes, ourLanes])
      await playRound(bench, { ...shape, turns }, emptySeries(), lanes);
  }
}

/** Single turns, each after a silence in which idle connections could close. */
async function benchSilence(bench: BenchStack): Promise<void> {
  const shape: Shape = { name: 'one step', steps: 1, model: 'say', concurrency: 1, turns: 1 };
  const [ours, floor] = [emptySeries(), emptySeries()];
  const sides = [
    { series: floor, lanes: await floorLanes(bench, shape) },
    { series: ours, lanes: await ourLanes(bench, shape) },
  ];
  for (let silence = 0; silence < silences.count; silence += 1) {
    await delay(silences.ms);
    for (const { series, lanes } of sides) await playLanes(bench, shape, series, lanes);
    sides.reverse();
  }
  const [mine, bare] = [summarise(ours.times), summarise(floor.times)];
  print(`\n## One turn of one step after ${silences.ms / 1000} s of silence\n`);
  print(
    table([
      ['side', 'p50 ms', 'worst ms', 'p50 ÷ floor'],
      ['floor', shown(bare.p50), shown(Math.max(...floor.times)), ''],
      ['perdure', shown(mine.p50), shown(Math.max(...ours.times)), shown(mine.p50 / bare.p50)],
    ]),
  );
}

type Lanes = (bench: BenchStack, shape: Shape) => Promise<(() => Promise<void>)[]>;

const ourLanes: Lanes = async ({ stack }, { model, concurrency }) => {
  const lanes: (() => Promise<void>)[] = [];
  for (let lane = 0; lane < concurrency; lane += 1) {
    const agentId = await makeAgent(stack, model);
    lanes.push(() => say(stack, agentId));
  }
  return lanes;
};

const lanesOf =
  (workflow: 'bareTurn' | 'workingTurn'): Lanes =>
  ({ temporal, controlQueue }, { steps, concurrency }) =>
    Promise.resolve(
      Array.from({ length: concurrency }, () => () => {
        const workflowId = `floor-${randomUUID()}`;
        const options = { workflowId, taskQueue: controlQueue, args: [steps, workflowId] };
        return temporal.workflow.execute(workflow, options) as Promise<void>;
      }),
    );

const floorLanes = lanesOf('bareTurn');
const workingLanes = lanesOf('workingTurn');

/** Runs all lanes at once. Each runs its turns one after the other. */
async function playRound(bench: BenchStack, shape: Shape, series: Series, makeLanes: Lanes): Promise<void> {
  await playLanes(bench, shape, series, await makeLanes(bench, shape));
}

async function playLanes(
  bench: BenchStack,
  shape: Shape,
  series: Series,
  lanes: readonly (() => Promise<void>)[],
): Promise<void> {
  const before = cpuTimes(bench.pids());
  const startedAt = performance.now();
  const laneTimes = lanes.map(async (lane) => {
    for (let turn = 0; turn < shape.turns; turn += 1) {
      const sentAt = performance.now();
      await lane();
      series.times.push(performance.now() - sentAt);
    }
  });
  await Promise.all(laneTimes);
  series.rates.push((1_000 * shape.turns * lanes.length) / (performance.now() - startedAt));
  for (const [name, used] of Object.entries(cpuTimes(bench.pids()))) {
    series.cpu.set(name, (series.cpu.get(name) ?? 0) + used - (before[name] ?? 0));
  }
}

function emptySeries(): Series {
  return { times: [], rates: [], cpu: new Map() };
}

function compared(
  { name, concurrency }: Shape,
  { ours, floor, working }: Readonly<Record<'ours' | 'floor' | 'working', Series>>,
): string[][] {
  const [mine, bare, worked] = [summarise(ours.times), summarise(floor.times), summarise(working.times)];
  const rate = summarise(ours.rates).p50;
  const bareRate = summarise(floor.rates).p50;
  const workedRate = summarise(working.rates).p50;
  const slower = mine.p50 / bare.p50;
  const share = rate / bareRate;
  const verdicts =
    concurrency === 1
      ? [judged(slower, aims.p50, 'lower'), shown(share)]
      : [shown(slower), judged(share, aims.throughput, 'higher')];
  return [
    [name, String(concurrency), 'floor', shown(bare.p50), shown(bare.p95), shown(bareRate), '', ''],
    [
      ...[name, String(concurrency), 'with work', shown(worked.p50), shown(worked.p95), shown(workedRate)],
      ...[shown(worked.p50 / bare.p50), shown(workedRate / bareRate)],
    ],
    [name, String(concurrency), 'perdure', shown(mine.p50), shown(mine.p95), shown(rate), ...verdicts],
  ];
}

function costOf(
  bench: BenchStack,
  { name, concurrency }: Shape,
  side: string,
  { cpu, times }: Series,
): string[] {
  const costs = Object.keys(bench.pids()).map((process) => shown((cpu.get(process) ?? NaN) / times.length));
  return [name, String(concurrency), side, ...costs];
}
