/**
 * The names, inputs, signals and queries of perdure's workflows, for programs that talk to Temporal themselves.
 *
 * @module perdure/workflows
 */

import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { ActivityTarget } from '../core/tools/activity-tools.js';

/** The workflow type of a turn. Its workflow id is the thread's id. */
export const agentTurnType = 'agentTurn';

/** The input of a turn's execution. */
export interface AgentTurnInput {
  readonly threadId: string;
  /** The turn that the bell rang for. The Temporal UI shows it until the claim says which turn is due. */
  readonly turnId?: string;
}

/** The workflow type that refines memory. */
export const refineMemoryType = 'refineMemory';

/** The input of a refinement's execution. */
export interface RefineMemoryInput {
  readonly partnerId: string;
  /** Set where a schedule started it: then it requests a refinement itself. */
  readonly scheduled?: boolean;
}

/** The workflow type that advances a group's talks. Its workflow id is the group's id. */
export const groupTalkType = 'groupTalk';

/** The input of a group's execution, also when it continues as new. */
export interface GroupTalkInput {
  readonly groupId: string;
}

/** The workflow type that reports a turn's end to its callback URL. */
export const reportTurnType = 'reportTurn';

/** The input of a report. */
export interface ReportTurnInput {
  readonly turnId: string;
}

/** The workflow type of a file's ingestion. Its workflow id is the file's id. */
export const ingestFileType = 'ingestFile';

/** The input of a file's execution, also when it continues as new. */
export interface IngestFileInput {
  readonly fileId: string;
}

/** The workflow type that sends a schedule's messages at one of its times. */
export const sendScheduledType = 'sendScheduled';

/** The input of one time of a schedule. */
export interface SendScheduledInput {
  readonly scheduleId: string;
}

/** The workflow type that calls an activity of a user's own worker. Its workflow id is the effect's id. */
export const activityToolType = 'activityTool';

/** The input of a call of an activity. */
export interface ActivityToolInput {
  readonly target: ActivityTarget;
  /** Content: only this workflow's history may hold it. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** The bell: a delivery may be waiting. Carries nothing, because the rows are the queue. */
export const ringSignal = defineSignal('ring');

/** A turn was cancelled in the database, so its execution may stop. Ignored if it isn't the current one. */
export const cancelTurnSignal = defineSignal<[{ readonly turnId: string }]>('cancelTurn');

/** Other agents have answered a waiting tool call. Ignored if none waits. */
export const replySignal = defineSignal<[{ readonly effectId: string }]>('reply');

/** The progress of a running execution. */
export interface TurnProgress {
  readonly turnId: string | null;
  /** From 1; 0: none yet. */
  readonly step: number;
  /** What it is doing: a tool's name, or `model`, `evicting`, `closing`, `waiting`. */
  readonly doing: string;
}

/** Asks a turn's execution how far it is. */
export const turnProgressQuery = defineQuery<TurnProgress>('turnProgress');

/**
 * An activity without a keep-alive for this long is tried again. Longer than the silence of a starved or paused
 * worker, because a second model call costs money. Other workers see a death at once (`worker/deaths.ts`).
 */
export const keepAliveTimeout = '30s';

/** The delay before the first retry of a failed model call, in ms. Later ones grow up to half a minute. */
export const firstRetryMs = 250;

/** After this time, a killed worker's workflow task goes to another worker. */
export const workflowTaskTimeout = '2s' as const;
