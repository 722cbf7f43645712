import type { Agent } from '../../../core/agents/agents.js';
import { listAgentBlocks } from '../../../schema/blocks/agent-blocks.js';
import type { Db } from '../../../schema/db/database.js';
import { listMessages } from '../../../schema/threads/messages.js';
import { listPassages } from '../../../schema/archives/passages.js';
import { readSummary } from '../../../schema/threads/evictions.js';
import type { Turn } from '../../../schema/turns/records.js';
import { readThread } from '../../../schema/threads/threads.js';
import { runCanary } from '../runtime/canary.js';
import { fetchHistories, retriesOf } from '../runtime/histories.js';
import { giveAPast } from '../agents/past.js';
import type { Scene } from './one-kill.js';
import { haltHalfway } from './roles.js';
import type { Point } from '../points.js';
import {
  type ChatRequest,
  type ModelServer,
  type Policy,
  type Reply,
  startModelServer,
} from '../model-server.js';

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
  if (isSummary(request)) return { text: `We spoke of Oslo and of music. ${runCanary()}` };
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

/** Where the worker is killed; `halfwayOf`: when half of an answer was sent, to this step of the first message, 0-based. */
export type Where = Point | { readonly halfwayOf: number | 'summary' };

/** How a scenario is played. */
export interface Disturbance {
  readonly where?: Where;
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
}

/** Two messages to an agent; the worker is killed as told, and the next one takes over. */
export async function runScenario(
  scene: Scene,
  { where, underPressure = false }: Disturbance,
): Promise<ScenarioRun> {
  const { runtime, model } = scene;
  model.policy = policy;
  const agent = await anAgentOf(scene, underPressure);
  let halfway: Promise<void> | undefined;
  if (where !== undefined && 'halfwayOf' in where) {
    halfway = haltHalfway(
      model,
      (request, step) => where.halfwayOf === (isSummary(request) ? 'summary' : step),
    );
  } else if (where !== undefined) await scene.stopAt(where, [agent.id]);
  const { turn } = await runtime.turns.send(userMessage(agent, 'first message'));
  // Not waited for: the agent's thread may be locked until the kill.
  const alsoSent = runtime.turns.send(userMessage(agent, 'second message'));
  const killedAt = where === undefined ? Date.now() : await scene.killed(halfway);
  const ended = await runtime.turns.result(turn.id);
  const recoveryMs = Date.now() - killedAt;
  const alsoEnded = await runtime.turns.result((await alsoSent).turn.id);
  return {
    remains: await remainsOf(runtime.db, agent, [ended, alsoEnded]),
    asked: model.requests
      .filter((request) => !isSummary(request))
      .map(({ messages }) => `${messages.length} messages, at last ${JSON.stringify(messages.at(-1))}`),
    retried: async () => (await fetchHistories(runtime.temporal, [agent.id])).flatMap(retriesOf),
    recoveryMs,
  };
}

async function anAgentOf({ runtime, model }: Scene, underPressure: boolean): Promise<Agent> {
  const agent = await runtime.anAgent({
    model: model.handle,
    // The local one takes a second of computing in each new worker.
    embedding: 'openai/text-embedding-3-small',
    ...(underPressure ? { contextWindow: 8_000 } : {}),
    blocks: [
      { label: 'human', value: 'Their name is Sid.' },
      { label: 'persona', value: 'My name is Sam.' },
    ],
  });
  const seas = 'we talked of the sea. '.repeat(30);
  if (underPressure) await giveAPast(runtime.db, agent, 30, (index) => `Old message ${index}: ${seas}`);
  return agent;
}

/** Whether a model is asked for a summary: it gets no tools then. */
export function isSummary({ tools = [] }: ChatRequest): boolean {
  return tools.length === 0;
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
