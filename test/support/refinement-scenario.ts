import { changeBlock } from '../../schema/blocks/changes.js';
import { listAgentBlocks } from '../../schema/blocks/agent-blocks.js';
import { listBranches } from '../../schema/refinement/branches.js';
import { committedTokens } from '../../schema/refinement/token-budgets.js';
import { readWatermark } from '../../schema/threads/watermarks.js';
import { runCanary } from './canary.js';
import { type ModelServer, type Reply, startModelServer } from './model-server.js';
import { aPair, type Pair, refined } from './partners.js';
import { giveAPast } from './past.js';
import type { TestRuntime } from './runtime.js';
import { spawnWorker } from './worker-process.js';

const sayings = 6;

const replies: readonly Reply[] = [
  { call: 'memory_insert', args: { label: 'human', new_string: `Keeps bees. ${runCanary()}` } },
  { call: 'memory_replace', args: { label: 'human', old_string: 'City: Oslo', new_string: 'City: Bergen' } },
  { call: 'memory_finish_edits', args: {} },
];

/** The partner's model calls in one refinement when nothing is killed. */
export const callsEach = replies.length;

/** What a refinement leaves behind, without ids and times. */
export interface RefinementRemains {
  readonly states: readonly unknown[];
  readonly blocks: readonly unknown[];
  /** How often each saying of the conversation was in a refinement that counted. */
  readonly readTimes: readonly number[];
  readonly watermark: number | undefined;
  readonly waiting: number;
}

/** What came of a refinement, and the tokens that each attempt at one spent of its limit. */
export interface RefinementRun {
  readonly remains: RefinementRemains;
  readonly modelCalls: number;
  readonly spent: readonly number[];
  readonly limit: number;
}

/**
 * One refinement of a short past, with a worker that is killed as told (see killable-worker.ts) and one that takes over.
 * The agent appends to its block in the course of it.
 */
export async function runRefinement(
  runtime: TestRuntime,
  freezeAt: string | undefined,
): Promise<RefinementRun> {
  const limit = 60_000;
  const pair = await aPair(
    runtime,
    { refinement: { maxTokens: limit } },
    { model: 'openai/scripted', blocks: [{ label: 'human', value: 'City: Oslo\nName: Ada' }] },
  );
  await giveAPast(runtime.db, pair.agent, sayings, (index) => `saying-${index}: the bees of Bergen`);
  const model = await startModelServer(partnerModel(runtime, pair));
  const env = workerEnvironment(runtime, model);
  const first = spawnWorker({ ...env, FREEZE_AT: freezeAt ?? '' });
  const workers = [first];
  try {
    await first.ready;
    await runtime.sleepTime.refine(pair.group.id);
    if (freezeAt !== undefined) {
      await first.frozen;
      const second = spawnWorker({ ...env, FREEZE_AT: '' });
      workers.push(second);
      await second.ready;
      await first.kill();
    }
    const refinements = await refined(runtime, pair);
    const spent = await Promise.all(refinements.map(({ id }) => committedTokens(runtime.db, id)));
    return {
      remains: await remainsOf(runtime, pair, model),
      modelCalls: model.requests.length,
      spent,
      limit,
    };
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()));
    await model.close();
  }
}

/** Decides by the request alone. Beside the second step the agent appends to its block, once. */
function partnerModel(runtime: TestRuntime, { agent }: Pair) {
  return async (_request: unknown, step: number): Promise<Reply> => {
    if (step === 1) {
      const [block] = (await listAgentBlocks(runtime.db, agent.id)).filter(({ label }) => label === 'human');
      await changeBlock(runtime.db, {
        blockId: block!.id,
        operation: { kind: 'append', content: 'Likes tea.' },
        actor: 'agent',
        agentId: agent.id,
        effectId: `append-${agent.id}`,
      });
    }
    return replies[step] ?? { status: 400, body: { error: { message: `no reply for step ${step}` } } };
  };
}

function workerEnvironment(runtime: TestRuntime, model: ModelServer): Record<string, string> {
  return {
    DATABASE_URL: runtime.databaseUrl,
    TEMPORAL_ADDRESS: runtime.address,
    TEMPORAL_NAMESPACE: runtime.namespace,
    PERDURE_TASK_QUEUE: runtime.taskQueue,
    OPENAI_BASE_URL: model.baseUrl,
  };
}

async function remainsOf(runtime: TestRuntime, pair: Pair, model: ModelServer): Promise<RefinementRemains> {
  const refinements = await refined(runtime, pair);
  const counted = refinements.filter(({ state }) => state === 'completed');
  const positions = await runtime.db
    .selectFrom('messages')
    .select('position')
    .where('thread_id', '=', pair.agent.id)
    .orderBy('position')
    .execute();
  const waiting = await runtime.db
    .selectFrom('refinement_requests')
    .select('id')
    .where('partner_id', '=', pair.partner.id)
    .where('state', '=', 'waiting')
    .execute();
  const told = JSON.stringify(model.requests[0]?.messages ?? []);
  if (!told.includes('saying-0') || !told.includes(`saying-${sayings - 1}`))
    throw new Error('the past was not told');
  const branches = await Promise.all(counted.map(({ id }) => listBranches(runtime.db, id)));
  return {
    states: refinements.map(({ state, endedBy, round }) => ({ state, endedBy, round })),
    blocks: [
      ...(await listAgentBlocks(runtime.db, pair.agent.id)).map(({ label, value, revision }) => ({
        label,
        value,
        revision,
      })),
      ...branches
        .flat()
        .map(({ label, value, state, mergedRevision }) => ({ label, value, state, mergedRevision })),
    ],
    readTimes: positions.map(
      ({ position }) =>
        counted.filter(({ ranges }) =>
          ranges.some((range) => range.from <= position! && position! <= range.to),
        ).length,
    ),
    watermark: await readWatermark(runtime.db, pair.partner.id, pair.agent.id),
    waiting: waiting.length,
  };
}
