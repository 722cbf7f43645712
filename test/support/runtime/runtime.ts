import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import type { Activities } from '../../../activities/index.js';
import type { ActivityDeps, Embedder } from '../../../activities/deps.js';
import type { Extensions } from '../../../adapters/extensions/extensions.js';
import { noExtensions } from '../../../adapters/extensions/open-extensions.js';
import { openMcpServers } from '../../../adapters/mcp/open-mcp-servers.js';
import { openCallbacks } from '../../../adapters/web/callbacks.js';
import { openWeb } from '../../../adapters/web/open-web.js';
import type { ToolRunner } from '../../../adapters/custom-tools/tool-runner.js';
import { createDocumentReader } from '../../../adapters/documents/document-reader.js';
import { createActivityCalls } from '../../../client/activity-calls.js';
import { type Bell, createBell } from '../../../client/bell.js';
import { createIngestions, type Ingestions } from '../../../client/ingestions.js';
import { createPartnerBell, type PartnerBell } from '../../../client/partner-bell.js';
import { createReports, type Reports } from '../../../client/reports.js';
import { createScheduleSync, type ScheduleSync } from '../../../client/schedule-sync.js';
import { createSleepTime, type SleepTime } from '../../../client/sleep-time.js';
import { createBlockListener } from '../../../client/block-listener.js';
import { type Blocks, createBlocks } from '../../../client/blocks.js';
import { createTurnListener, type TurnListener } from '../../../client/turn-listener.js';
import { createTurns } from '../../../client/turns.js';
import { createTalks } from '../../../client/talks.js';
import type { OutgoingMessage, Talks, Turns } from '../../../client/types.js';
import type { ExtensionDescription } from '../../../core/extensions/extension.js';
import { defaultToolRules, defaultTools } from '../../../core/tools/tools.js';
import { baseInstructions } from '../../../core/threads/prompts.js';
import type { Agent, AgentType } from '../../../core/agents/agents.js';
import { createAgent, type NewAgent } from '../../../schema/agents/creation.js';
import { sealVariables } from '../../../schema/agents/variables.js';
import { createArchivalStore } from '../../../schema/archives/archival.js';
import { type Db, openDatabase } from '../../../schema/db/database.js';
import { saveLoadedTools } from '../../../schema/tools/extension-tools.js';
import { openVectors } from '../../../schema/archives/open-vectors.js';
import type { Vectors } from '../../../schema/archives/vectors.js';
import type { WaitLimits } from '../../../schema/db/wait-limits.js';
import { createWorker } from '../../../worker/create-worker.js';
import { openPresence } from '../../../worker/presence.js';
import { runCanary } from './canary.js';
import { testEmbeddings } from './embeddings.js';
import { createTestDatabase } from './postgres.js';
import type { ScriptedModels } from '../models/scripted-model.js';
import { loadWorkflowBundle, testTemporal } from './temporal.js';
import { noTools } from '../tools/tool-runners.js';
import { unhookPromises } from './workflow-hooks.js';
import { testVault } from './vault.js';

/** The runtime with a database of its own, real Temporal, and a worker in this process. */
export interface TestRuntime {
  readonly db: Db;
  readonly databaseUrl: string;
  readonly turns: Turns;
  readonly talks: Talks;
  readonly listener: TurnListener;
  readonly blocks: Blocks;
  readonly bell: Bell;
  readonly partners: PartnerBell;
  readonly sleepTime: SleepTime;
  readonly ingestions: Ingestions;
  readonly reports: Reports;
  readonly schedules: ScheduleSync;
  readonly embeddings: { resolve(handle: string): Embedder };
  readonly vectors: Vectors;
  readonly temporal: Client;
  readonly taskQueue: string;
  readonly address: string;
  readonly namespace: string;
  readonly log: readonly string[];
  readonly extensions: readonly ExtensionDescription[];
  /** Starts a worker; several may run. */
  startWorker(options?: {
    wrap?: (activities: Activities) => Activities;
    bundle?: { code: string };
    deps?: Partial<ActivityDeps>;
  }): Promise<{ stop(): Promise<void> }>;
  /** An agent with the defaults of its type. */
  anAgent(input?: Partial<NewAgent> & { agentType?: AgentType }): Promise<Agent>;
  /** Sends a user's message and waits for the end of its turn. */
  tell(agent: Agent, message: string): ReturnType<Turns['result']>;
  close(): Promise<void>;
}

let isInstalled = false;

function quieten(): void {
  if (!isInstalled) Runtime.install({ logger: new DefaultLogger('ERROR') });
  isInstalled = true;
}

export async function startRuntime(deps: {
  models: ScriptedModels;
  embeddings?: { resolve(handle: string): Embedder };
  tools?: ToolRunner;
  extensions?: Extensions;
  modelTimeoutMs?: number;
  toolTimeoutMs?: number;
  replyTimeoutMs?: number;
  limits?: WaitLimits;
  /** Default: the server that all tests share. */
  temporal?: { address: string; namespace: string };
  /** Where a pooler is before the database: how it is reached through that. */
  through?: (url: string) => string;
}): Promise<TestRuntime> {
  quieten();
  const testDatabase = await createTestDatabase();
  const database = openDatabase(deps.through?.(testDatabase.url) ?? testDatabase.url, {
    connections: 20,
    directUrl: testDatabase.url,
    ...(deps.limits === undefined ? {} : { limits: deps.limits }),
  });
  const { address, namespace } = deps.temporal ?? testTemporal();
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  const temporal = new Client({ connection, namespace });
  const taskQueue = `test-${randomUUID()}`;
  const bell = createBell(temporal, taskQueue);
  const partners = createPartnerBell(temporal, taskQueue);
  const listener = createTurnListener(testDatabase.url);
  const blockListener = createBlockListener(testDatabase.url);
  const turns = sayingTheCanary(createTurns({ db: database.db, bell, listener }));
  const vectors = await openVectors(database.db);
  const log: string[] = [];
  const extensions = deps.extensions ?? noExtensions;
  await saveLoadedTools(database.db, extensions.all);
  const presence = await openPresence({ db: database.db, databaseUrl: testDatabase.url });
  const activityDeps: ActivityDeps = {
    db: database.db,
    vault: testVault,
    models: deps.models,
    embeddings: deps.embeddings ?? testEmbeddings,
    archival: createArchivalStore(vectors),
    documents: createDocumentReader(),
    vectors,
    log: {
      warn: (message) => log.push(message),
      error: (message, details) => log.push(`${message} ${String(details?.['error'])}`),
    },
    waker: bell,
    workerKey: presence.key,
    ...(deps.replyTimeoutMs === undefined ? {} : { replyTimeoutMs: deps.replyTimeoutMs }),
    tools: deps.tools ?? noTools,
    mcp: openMcpServers(),
    extensions,
    activityCalls: createActivityCalls(temporal, taskQueue),
    web: openWeb(undefined),
    callbacks: openCallbacks({ allowsPrivate: true }),
    // Longer than any test waits: a model that a test holds back must not fail its turn on a busy machine.
    modelTimeoutMs: deps.modelTimeoutMs ?? 300_000,
    toolTimeoutMs: deps.toolTimeoutMs ?? 60_000,
  };
  const running: { worker: Worker; done: Promise<void> }[] = [];

  const startWorker: TestRuntime['startWorker'] = async (given = {}) => {
    const { deps: others, ...options } = given;
    const worker = await createWorker({
      connection: native,
      namespace,
      taskQueue,
      identity: presence.identity,
      deps: { ...activityDeps, ...others },
      bundle: loadWorkflowBundle(),
      inThisThread: true,
      graceMs: 500,
      ...options,
    });
    unhookPromises();
    const entry = { worker, done: worker.run() };
    running.push(entry);
    return {
      stop: async () => {
        running.splice(running.indexOf(entry), 1);
        worker.shutdown();
        await entry.done;
      },
    };
  };

  return {
    db: database.db,
    databaseUrl: testDatabase.url,
    turns,
    listener,
    talks: talkingTheCanary(createTalks({ db: database.db, bell, listener, turns })),
    blocks: createBlocks({ db: database.db, listener: blockListener }),
    bell,
    partners,
    sleepTime: createSleepTime({ db: database.db, partners }),
    ingestions: createIngestions(temporal, taskQueue),
    reports: createReports(temporal, taskQueue),
    schedules: createScheduleSync(database.db, temporal, taskQueue),
    embeddings: activityDeps.embeddings,
    vectors,
    temporal,
    taskQueue,
    address,
    namespace,
    log,
    extensions: extensions.all,
    startWorker,
    anAgent: (input = {}) => {
      const id = input.id ?? `agent-${randomUUID()}`;
      const extras = sealVariables(testVault, id, { extras: input.extras ?? {} });
      return createAgent(database.db, { ...withDefaults(input), id, extras });
    },
    async tell(agent, message) {
      const { turn } = await turns.send({
        threadId: agent.id,
        messages: [{ role: 'user', content: message }],
      });
      return turns.result(turn.id);
    },
    async close() {
      for (const { worker, done } of running) {
        worker.shutdown();
        await done;
      }
      await presence.close();
      await native.close();
      await listener.close();
      await blockListener.close();
      await database.close();
      await connection.close();
      await testDatabase.drop();
    },
  };
}

/** Everything that is said to an agent ends with the run's canary, which no history may hold. */
function sayingTheCanary(turns: Turns): Turns {
  return {
    ...turns,
    send: (request) =>
      turns.send({
        ...request,
        messages: request.messages.map(withCanary),
      }),
  };
}

function talkingTheCanary(talks: Talks): Talks {
  return {
    ...talks,
    send: (request) => talks.send({ ...request, messages: request.messages.map(withCanary) }),
  };
}

function withCanary(message: OutgoingMessage): OutgoingMessage {
  if (typeof message.content !== 'string') return message;
  return { ...message, content: `${message.content} ${runCanary()}` };
}

function withDefaults(input: Partial<NewAgent> & { agentType?: AgentType }): NewAgent {
  const agentType = input.agentType ?? 'memgpt_agent';
  const tools = defaultTools(agentType, { includeBaseTools: true });
  return {
    name: 'Sam',
    description: runCanary(),
    metadata: { canary: runCanary() },
    agentType,
    system: baseInstructions(agentType),
    model: 'scripted/model',
    embedding: 'perdure/use-lite',
    toolNames: tools,
    toolRules: defaultToolRules(agentType, tools),
    blocks: [
      { label: 'human', value: 'The human has not said their name.' },
      { label: 'persona', value: 'My name is Sam.' },
    ],
    ...input,
  };
}
