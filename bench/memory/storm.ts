import { post } from '../api.js';
import type { BenchStack } from '../bench-stack.js';
import { print, requireKept, table } from '../figures.js';
import { createAgent, tell } from './agents.js';
import { whileKilling } from './killing.js';

const sizes = { short: { agents: 8, lines: 40, killed: 3 }, full: { agents: 20, lines: 48, killed: 8 } };

/** Many agents write to one block at once, one line per step, while workers are killed. */
export async function benchStorm(bench: BenchStack, isFull: boolean): Promise<void> {
  const { stack } = bench;
  const { agents, lines, killed } = isFull ? sizes.full : sizes.short;
  const blockId = await createLog(bench);
  const writers = await Promise.all(
    Array.from({ length: agents }, () =>
      createAgent(stack, { model: 'openai/storm', block_ids: [blockId], memory_blocks: [] }),
    ),
  );
  const writing = writers.map((agentId, writer) =>
    tell(stack, agentId, `You are writer ${writer}, ${lines} lines.`),
  );
  const { result, kills } = await whileKilling(
    stack,
    {
      done: async () => (await valueOf(bench, blockId)).split('\n').length,
      of: agents * lines,
      kills: killed,
    },
    Promise.all(writing),
  );
  const expected = writers.flatMap((_, writer) => linesOf(writer, lines));
  const ours = compare(await valueOf(bench, blockId), expected);
  const failed = result.filter(({ end }) => end !== 'end_turn').length;
  requireKept(ours.lost === 0 && ours.doubled === 0 && failed === 0);
  const naive = compare(await writeNaively(bench, { agents, lines }), expected);
  print(
    `\n## Storm: ${agents} writers of one block, ${lines} lines each, one per step, ${kills} kills of the worker\n`,
  );
  const rowOf = (name: string, { lost, doubled }: Remains, turns: string): string[] => [
    ...[name, `${lost} of ${expected.length}`, String(doubled), turns],
  ];
  print(
    table([
      ['writers', 'lines lost', 'doubled', 'turns failed'],
      rowOf('agents, by operations', ours, String(failed)),
      rowOf('control: read the value, write it back', naive, ''),
    ]),
  );
}

interface Remains {
  readonly lost: number;
  readonly doubled: number;
}

function compare(value: string, expected: readonly string[]): Remains {
  const lines = value.split('\n');
  return {
    lost: expected.filter((line) => !lines.includes(line)).length,
    doubled: expected.filter((line) => lines.filter((other) => other === line).length > 1).length,
  };
}

function linesOf(writer: number, lines: number): string[] {
  return Array.from({ length: lines }, (_, line) => `writer ${writer} line ${line}.`);
}

async function createLog({ stack }: BenchStack): Promise<string> {
  const { id } = await post<{ id: string }>(stack, '/v1/blocks/', {
    label: 'log',
    value: '',
    limit: 1_000_000,
  });
  return id;
}

async function valueOf({ stack }: BenchStack, blockId: string): Promise<string> {
  const response = await fetch(`${stack.api}/v1/blocks/${blockId}`);
  return ((await response.json()) as { value: string }).value;
}

/** The control: as many writers read the block and write it back with one more line. Returns the last value. */
async function writeNaively(
  bench: BenchStack,
  { agents, lines }: { readonly agents: number; readonly lines: number },
): Promise<string> {
  const blockId = await createLog(bench);
  const write = async (writer: number): Promise<void> => {
    for (const line of linesOf(writer, lines)) {
      const value = `${await valueOf(bench, blockId)}\n${line}`;
      await fetch(`${bench.stack.api}/v1/blocks/${blockId}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ value }),
      });
    }
  };
  await Promise.all(Array.from({ length: agents }, (_, writer) => write(writer)));
  return valueOf(bench, blockId);
}
