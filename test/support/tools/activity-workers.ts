import { randomUUID } from 'node:crypto';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { ActivityTarget } from '../../../core/tools/activity-tools.js';
import type { Agent } from '../../../core/agents/agents.js';
import { attachTool } from '../../../schema/tools/agent-tools.js';
import { upsertCustomTool } from '../../../schema/tools/custom-tools.js';
import type { TestRuntime } from '../runtime/runtime.js';

/** A worker of a user's own: it knows nothing of perdure, and perdure nothing of it but the task queue. */
export interface ActivityWorker {
  readonly taskQueue: string;
  stop(): Promise<void>;
}

export async function startActivityWorker(
  runtime: TestRuntime,
  activities: Readonly<Record<string, (args: never) => Promise<unknown>>>,
): Promise<ActivityWorker> {
  const connection = await NativeConnection.connect({ address: runtime.address });
  const taskQueue = `user-${randomUUID()}`;
  const worker = await Worker.create({
    connection,
    namespace: runtime.namespace,
    taskQueue,
    activities,
    maxHeartbeatThrottleInterval: '200ms',
    defaultHeartbeatThrottleInterval: '200ms',
  });
  const running = worker.run();
  return {
    taskQueue,
    async stop() {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}

/** An agent with one tool beside its own: the activity of this name on a user's task queue. */
export async function anActivityAgent(
  runtime: TestRuntime,
  tool: {
    readonly name: string;
    readonly target: Partial<ActivityTarget> & { readonly taskQueue: string };
    readonly returnLimit?: number;
    readonly agent?: Parameters<TestRuntime['anAgent']>[0];
  },
): Promise<Agent> {
  const { name, target, returnLimit } = tool;
  const { id } = await upsertCustomTool(runtime.db, {
    description: 'Act.',
    sourceType: 'temporal',
    sourceCode: null,
    activity: {
      name,
      scheduleToStartMs: 30_000,
      startToCloseMs: 60_000,
      keepAliveMs: null,
      attempts: 1,
      ...target,
    },
    schema: { name, description: 'Act.', parameters: { type: 'object', properties: {} } },
    argsSchema: null,
    runtime: {},
    ...(returnLimit === undefined ? {} : { returnLimit }),
  });
  const agent = await runtime.anAgent(tool.agent);
  await attachTool(runtime.db, agent.id, id);
  return agent;
}
