import type { Client } from '@temporalio/client';
import {
  agentTurnType,
  cancelTurnSignal,
  groupTalkType,
  replySignal,
  ringSignal,
  workflowTaskTimeout,
} from '../workflows/protocol.js';
import { ignoreNotFound, isOpen, listOpen } from './executions.js';

/** Wakes threads and groups. */
export interface Bell {
  /** Starts the thread's workflow, or tells the running one that a delivery may be waiting. Harmless when repeated. */
  ring(thread: {
    readonly threadId: string;
    readonly agentId: string;
    /** The waiting turn, where it is known. An execution that this starts begins with it and shows it in the Temporal UI. */
    readonly turnId?: string;
  }): Promise<void>;
  /** Tells the execution that works on a turn that it was cancelled. Does nothing where there is none. */
  stop(turn: { readonly threadId: string; readonly turnId: string }): Promise<void>;
  /** Tells a thread that other agents have answered its tool call. Does nothing where no execution waits. */
  reply(call: { readonly threadId: string; readonly effectId: string }): Promise<void>;
  /** Starts the workflow that runs a group's talks, or tells the open one to look again. */
  talk(groupId: string): Promise<void>;
  /** Whether the thread has an open execution. */
  isAwake(threadId: string): Promise<boolean>;
  /** Threads with an open execution. Temporal's list is some seconds old. */
  awake(): Promise<ReadonlySet<string>>;
}

/** `pageSize`: how many threads Temporal lists at a time, if not as many as it will. */
export function createBell(
  temporal: Client,
  taskQueue: string,
  { pageSize }: { readonly pageSize?: number } = {},
): Bell {
  return {
    async ring({ threadId, agentId, turnId }) {
      await temporal.workflow.signalWithStart(agentTurnType, {
        workflowId: threadId,
        taskQueue,
        args: [{ threadId, ...(turnId === undefined ? {} : { turnId }) }],
        signal: ringSignal,
        workflowTaskTimeout,
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        memo: { agent: agentId, ...(turnId === undefined ? {} : { run: turnId }) },
        staticSummary: `turns of ${threadId}`,
      });
    },
    async stop({ threadId, turnId }) {
      await temporal.workflow.getHandle(threadId).signal(cancelTurnSignal, { turnId }).catch(ignoreNotFound);
    },
    async reply({ threadId, effectId }) {
      await temporal.workflow.getHandle(threadId).signal(replySignal, { effectId }).catch(ignoreNotFound);
    },
    async talk(groupId) {
      await temporal.workflow.signalWithStart(groupTalkType, {
        workflowId: groupId,
        taskQueue,
        args: [{ groupId }],
        signal: ringSignal,
        workflowTaskTimeout,
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        memo: { group: groupId },
        staticSummary: `talks of ${groupId}`,
      });
    },
    isAwake: (threadId) => isOpen(temporal, threadId),
    awake: () => listOpen(temporal, { type: agentTurnType, taskQueue, pageSize }),
  };
}
