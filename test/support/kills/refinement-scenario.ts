import { changeBlock } from '../../../schema/blocks/changes.js';
import { listAgentBlocks } from '../../../schema/blocks/agent-blocks.js';
import { listBranches } from '../../../schema/blocks/branches.js';
import { committedTokens } from '../../../schema/refinement/token-budgets.js';
import { readWatermark } from '../../../schema/threads/watermarks.js';
import { runCanary } from '../runtime/canary.js';
import type { Point } from '../points.js';
import type { Scene } from './one-kill.js';
import type { ChatRequest, Reply } from '../model-server.js';
import { aPair, type Pair, refined } from '../agents/partners.js';
import { giveAPast } from '../agents/past.js';
import type { TestRuntime } from '../runtime/runtime.js';

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
 * One refinement of a short past; the worker is killed at a point, and the next one takes over. The agent appends to its
 * block in the course of it.
 */
export async function runRefinement(scene: Scene, point?: Point): Promise<RefinementRun> {
  const { runtime, model } = scene;
  const limit = 60_000;
  const pair = await aPair(
    runtime,
    { refinement: { maxTokens: limit } },
    { model: model.handle, blocks: [{ label: 'human', value: 'City: Oslo\nName: Ada' }] },
  );
  await giveAPast(runtime.db, pair.agent, sayings, (index) => `saying-${index}: the bees of Bergen`);
  model.policy = partnerModel(runtime, pair);
  if (point !== undefined) await scene.stopAt(point, [`refine-${pair.partner.id}`, pair.partner.id]);
  await runtime.sleepTime.refine(pair.group.id);
  if (point !== undefined) await scene.killed();
  const refinements = await refined(runtime, pair);
  const spent = await Promise.all(refinements.map(({ id }) => committedTokens(runtime.db, id)));
  const { requests } = model;
  return { remains: await remainsOf(runtime, pair, requests), modelCalls: requests.length, spent, limit };
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

async function remainsOf(
  runtime: TestRuntime,
  pair: Pair,
  asked: readonly ChatRequest[],
): Promise<RefinementRemains> {
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
  const told = JSON.stringify(asked[0]?.messages ?? []);
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
