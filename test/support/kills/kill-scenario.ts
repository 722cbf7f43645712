import type { Agent } from '../../../core/agents/agents.js';
import { listAgentBlocks } from '../../../schema/blocks/agent-blocks.js';
import type { Db } from '../../../schema/db/database.js';
import { listMessages } from '../../../schema/threads/messages.js';
import { listPassages } from '../../../schema/archives/passages.js';
import { readSummary } from '../../../schema/threads/evictions.js';
import type { Turn } from '../../../schema/turns/records.js';
import { readThread } from '../../../schema/threads/threads.js';
import { waitFor } from '../../../stack/waiting.js';
import { runCanary } from '../runtime/canary.js';
import { fetchHistories, retriesOf } from '../runtime/histories.js';
import { giveAPast } from '../agents/past.js';
import type { Lane } from './lanes.js';
import { type ModelServer, type Policy, type Reply, startModelServer } from '../model-server.js';
import type { TestRuntime } from '../runtime/runtime.js';

/** The model calls of the scenario when nothing is killed: five of the first message, one of the second. */
export const undisturbedCalls = 6;

const firstReplies: readonly Reply[] = [
  call('core_memory_append', { label: 'human', content: 'Lives in Oslo.', request_heartbeat: true }),
  call('archival_memory_insert', { content: 'Mina plays the violin on Sundays.', request_heartbeat: true }),
  call('core_memory_replace', {
    label: 'human',
    old_content: 'Lives in Oslo.',
    new_content: 'Lives in Oslo since 2019.',
    request_heartbeat: true,
  }),
  call('archival_memory_search', { query: 'What does Mina play?', request_heartbeat: true }),
  call('send_message', { message: 'I will remember that.' }),
];

// Two calls in one answer: the first waits for the world.
const secondReply: Reply = {
  ...call('archival_memory_insert', { content: 'Mina has a cello too.' }),
  also: [{ call: 'send_message', args: { message: 'The second answer.' } }],
};

function call(name: string, args: Record<string, unknown>) {
  return { call: name, args: { thinking: `I use ${name}. ${runCanary()}`, ...args } };
}

/** The scenario's model: five steps for the first message, one for the second, a summary where it is asked for one. */
const policy: Policy = (request, step) => {
  if (request.tools === undefined || request.tools.length === 0)
    return { text: `We spoke of Oslo and of music. ${runCanary()}` };
  const spoken = JSON.stringify(
    request.messages.filter((message) => message.role === 'user').at(-1)?.content,
  );
  const isSecond =
    JSON.stringify(request.messages).includes('second message') && !spoken.includes('first message');
  if (isSecond && step === 0) return secondReply;
  return firstReplies[step] ?? { status: 400, body: { error: { message: `no reply for step ${step}` } } };
};

export function scenarioModel(): Promise<ModelServer> {
  return startModelServer(policy);
}

/** What is left of a scenario: everything but ids and times, which differ from run to run. */
export interface Remains {
  readonly turns: readonly unknown[];
  readonly transcript: readonly unknown[];
  readonly evictions: readonly unknown[];
  readonly blocks: readonly unknown[];
  readonly passages: readonly unknown[];
}

/** How a scenario is disturbed. */
export interface Disturbance {
  /** See killable-worker.ts. */
  readonly freezeAt?: string;
  /** Kill when half of the answer to this step of the first message was sent; 0-based. */
  readonly halfwayOf?: number;
  /** Kill when half of the summary was sent. */
  readonly halfwayOfSummary?: boolean;
  /** Give the agent so long a past that the first step evicts. */
  readonly underPressure?: boolean;
}

/** What came of a scenario. */
export interface ScenarioRun {
  readonly remains: Remains;
  /** What each model call, summaries left out, was asked last. */
  readonly asked: readonly string[];
  /** Which activities were tried again, and why. */
  readonly retried: () => Promise<readonly string[]>;
  readonly recoveryMs: number;
  readonly errors: readonly string[];
}

/** Runs the scenario; the lane's worker is killed as told, and the next one takes over. */
export async function runScenario(lane: Lane, disturbance: Disturbance): Promise<ScenarioRun> {
  const { runtime, model } = lane;
  model.policy = policy;
  const [askedBefore, errorsBefore] = [model.requests.length, lane.errors().length];
  const agent = await anOldAgent(runtime, disturbance);
  const halfway = haltHalfway(model, disturbance);
  await lane.worker().arm(disturbance.freezeAt ?? '');
  const sent = await runtime.turns.send(userMessage(agent, 'first message'));
  const alsoSent = await runtime.turns.send(userMessage(agent, 'second message'));
  let killedAt = Date.now();
  if (isDisturbed(disturbance)) {
    await Promise.race([lane.worker().frozen, halfway]);
    killedAt = await lane.replaceWorker();
    model.onHalfway = undefined;
  }
  const ended = await runtime.turns.result(sent.turn.id);
  const recoveryMs = Date.now() - killedAt;
  const alsoEnded = await runtime.turns.result(alsoSent.turn.id);
  await untilAsleep(runtime, agent);
  return {
    remains: await remainsOf(runtime.db, agent, [ended, alsoEnded]),
    asked: model.requests
      .slice(askedBefore)
      .filter((request) => (request.tools?.length ?? 0) > 0)
      .map(({ messages }) => `${messages.length} messages, at last ${JSON.stringify(messages.at(-1))}`),
    retried: async () => (await fetchHistories(runtime.temporal, [agent.id])).flatMap(retriesOf),
    recoveryMs,
    errors: lane.errors().slice(errorsBefore),
  };
}

/**
 * Waits until nothing runs for an agent. Rows say that a turn has ended before its execution has: what is left of it is
 * done by the next scenario's worker, which would freeze there, in the middle of a model call of its own.
 */
export async function untilAsleep({ bell }: TestRuntime, { id }: Agent): Promise<void> {
  const isAsleep = async () => ((await bell.isAwake(id)) ? undefined : true);
  if ((await waitFor(isAsleep, { timeoutMs: 90_000 })) === undefined)
    throw new Error(`The execution of ${id} did not end.`);
}

function isDisturbed({ freezeAt, halfwayOf, halfwayOfSummary }: Disturbance): boolean {
  return freezeAt !== undefined || halfwayOf !== undefined || halfwayOfSummary === true;
}

function haltHalfway(model: ModelServer, { halfwayOf, halfwayOfSummary }: Disturbance): Promise<void> {
  return new Promise((reached) => {
    if (halfwayOf === undefined && halfwayOfSummary !== true) return;
    model.onHalfway = (request, at) => {
      const isSummary = (request.tools?.length ?? 0) === 0;
      const isWanted = isSummary ? halfwayOfSummary === true : at === halfwayOf;
      if (!isWanted) return Promise.resolve();
      reached();
      // The rest never comes: the worker is killed while it waits.
      return new Promise(() => undefined);
    };
  });
}

async function anOldAgent(runtime: TestRuntime, { underPressure }: Disturbance): Promise<Agent> {
  const agent = await runtime.anAgent({
    model: 'openai/scripted',
    // The local one takes a second of computing in each new worker.
    embedding: 'openai/text-embedding-3-small',
    ...(underPressure === true ? { contextWindow: 8_000 } : {}),
    blocks: [
      { label: 'human', value: 'Their name is Sid.' },
      { label: 'persona', value: 'My name is Sam.' },
    ],
  });
  if (underPressure === true) {
    await giveAPast(
      runtime.db,
      agent,
      30,
      (index) => `Old message ${index}: ${'we talked of the sea. '.repeat(30)}`,
    );
  }
  return agent;
}

function userMessage(agent: Agent, text: string) {
  return { threadId: agent.id, messages: [{ role: 'user' as const, content: text }] };
}

async function remainsOf(db: Db, agent: Agent, turns: readonly Turn[]): Promise<Remains> {
  const messages = await listMessages(db, { threadId: agent.id }, { order: 'asc' });
  const passages = await listPassages(db, { agentId: agent.id }, { order: 'asc' });
  return {
    turns: turns.map(({ state, stopReason, error, steps }) => ({ state, stopReason, error, steps })),
    transcript: messages.map((message) => timeless(message.body)),
    evictions: await evictionsOf(db, agent),
    blocks: (await listAgentBlocks(db, agent.id)).map(({ label, value, revision }) => ({
      label,
      value,
      revision,
    })),
    passages: passages.map(({ text, tags }) => ({ text, tags })),
  };
}

async function evictionsOf(db: Db, agent: Agent): Promise<readonly unknown[]> {
  const thread = await readThread(db, agent.id);
  const rows = await db
    .selectFrom('evictions')
    .select(['level', 'method', 'keep_from', 'messages'])
    .where('thread_id', '=', agent.id)
    .orderBy('created_at')
    .execute();
  return [...rows, { queueStart: thread?.queueStart, summary: thread && (await readSummary(db, thread)) }];
}

/** A body without its ids and times, which differ from run to run. */
export function timeless(body: unknown): unknown {
  const text = JSON.stringify(body)
    .replace(/[a-z]+-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '<time>');
  return JSON.parse(text) as unknown;
}
