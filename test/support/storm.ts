import { randomUUID } from 'node:crypto';
import { attachBlock, getAgentBlock } from '../../schema/blocks/agent-blocks.js';
import type { Block } from '../../core/blocks/blocks.js';
import { createBlock, requireBlock } from '../../schema/blocks/blocks.js';
import type { Turn } from '../../schema/turns/records.js';
import { waitFor } from '../../stack/waiting.js';
import { lastSaid, type ModelServer, startModelServer } from './model-server.js';
import type { TestRuntime } from './runtime/runtime.js';
import { spawnWorker, workerEnvironment, type WorkerProcess } from './worker-process.js';

/** How large a storm is. */
export interface StormSize {
  readonly agents: number;
  /** Of each agent, each in a step of its own. */
  readonly lines: number;
  readonly workers: number;
  /** Of workers, spread over the storm. A new one takes the place of each but the last. */
  readonly kills: number;
}

/** What a storm left. */
export interface StormRemains {
  readonly block: Block;
  readonly expected: readonly string[];
  readonly turns: readonly Turn[];
  readonly kills: number;
  readonly seconds: number;
  readonly errors: readonly string[];
}

/** Many agents append lines to one block at the same time, each in a turn, while workers are killed. */
export async function runStorm(runtime: TestRuntime, size: StormSize): Promise<StormRemains> {
  const model = await stormModel(size.lines);
  const start = (): WorkerProcess => spawnWorker(workerEnvironment(runtime, model));
  const workers = Array.from({ length: size.workers }, start);
  const dead: WorkerProcess[] = [];
  try {
    const block = await createBlock(runtime.db, { label: 'log', value: '', limit: 1_000_000 });
    const agentIds = await Promise.all(
      Array.from({ length: size.agents }, () => anAgentWith(runtime, block)),
    );
    await Promise.all(workers.map(({ ready }) => ready));
    const startedAt = Date.now();
    const ending = Promise.all(agentIds.map((agentId, index) => tell(runtime, agentId, `writer ${index}`)));
    for (let kill = 1; kill <= size.kills; kill += 1) {
      await grown(runtime, block, (kill * size.agents * size.lines) / (size.kills + 1));
      const victim = workers.shift();
      if (kill < size.kills) workers.push(start());
      await victim?.kill();
      if (victim !== undefined) dead.push(victim);
    }
    const turns = await ending;
    return {
      block: await getAgentBlock(runtime.db, agentIds[0] ?? '', 'log'),
      expected: agentIds.flatMap((_, index) => linesOf(`writer ${index}`, size.lines)),
      turns,
      kills: dead.length,
      seconds: (Date.now() - startedAt) / 1_000,
      errors: [...workers, ...dead].flatMap(({ errors }) => errors),
    };
  } finally {
    await Promise.all([...workers, ...dead].map((worker) => worker.kill()));
    await model.close();
  }
}

function linesOf(writer: string, lines: number): string[] {
  return Array.from({ length: lines }, (_, line) => `${writer} line ${line}.`);
}

/** Appends the next line of whoever was named, one a step; says goodbye after the last. */
function stormModel(lines: number): Promise<ModelServer> {
  return startModelServer((request, step) => {
    const writer = /writer \d+/.exec(lastSaid(request))?.[0] ?? 'nobody';
    const line = linesOf(writer, lines)[step];
    return line === undefined
      ? { call: 'send_message', args: { message: 'All written.' } }
      : { call: 'core_memory_append', args: { label: 'log', content: line, request_heartbeat: true } };
  });
}

async function anAgentWith(runtime: TestRuntime, block: Block): Promise<string> {
  const agent = await runtime.anAgent({
    model: 'openai/scripted',
    contextWindow: 1_000_000,
    blocks: [],
    name: `storm-${randomUUID()}`,
  });
  await attachBlock(runtime.db, { agentId: agent.id, blockId: block.id });
  return agent.id;
}

async function tell(runtime: TestRuntime, threadId: string, message: string): Promise<Turn> {
  const { turn } = await runtime.turns.send({ threadId, messages: [{ role: 'user', content: message }] });
  return runtime.turns.result(turn.id);
}

/** Waits until the block has so many lines. */
async function grown(runtime: TestRuntime, block: Block, lines: number): Promise<void> {
  const isThere = async (): Promise<true | undefined> =>
    (await requireBlock(runtime.db, block.id)).revision > lines ? true : undefined;
  const came = await waitFor(isThere, { timeoutMs: 300_000, everyMs: 50 });
  if (came === undefined) throw new Error(`The block did not grow to ${lines} lines.`);
}
