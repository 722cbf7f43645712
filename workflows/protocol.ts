import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { ActivityTarget } from '../core/tools/activity-tools.js';

/** The workflow type of a turn. Its workflow id is the thread's id. */
export const agentTurnType = 'agentTurn';

/** What a turn's execution starts from. */
export interface AgentTurnInput {
  readonly threadId: string;
  /** The turn that the bell rang for: the Temporal UI shows it before the claim says which turn is due. */
  readonly turnId?: string;
}

/** The workflow type that refines memory. */
export const refineMemoryType = 'refineMemory';

/** What a refinement's execution starts from. */
export interface RefineMemoryInput {
  readonly partnerId: string;
  /** Set where a schedule started it: it asks for a refinement itself. */
  readonly scheduled?: boolean;
}

/** The workflow type that moves a group's talks on. Its workflow id is the group's id. */
export const groupTalkType = 'groupTalk';

/** What a group's execution starts from, and all that continue-as-new passes on. */
export interface GroupTalkInput {
  readonly groupId: string;
}

/** The workflow type that calls back with how a turn ended. */
export const reportTurnType = 'reportTurn';

/** What a report starts from. */
export interface ReportTurnInput {
  readonly turnId: string;
}

/** The workflow type of a file's ingestion. Its workflow id is the file's id. */
export const ingestFileType = 'ingestFile';

/** What a file's execution starts from, and all that continue-as-new passes on. */
export interface IngestFileInput {
  readonly fileId: string;
}

/** The workflow type that sends what a schedule says, for one of its times. */
export const sendScheduledType = 'sendScheduled';

/** What one time of a schedule starts from. */
export interface SendScheduledInput {
  readonly scheduleId: string;
}

/** The workflow type that calls an activity of a user's own worker. Its workflow id is the effect's id. */
export const activityToolType = 'activityTool';

/** What a call of an activity starts from. */
export interface ActivityToolInput {
  readonly target: ActivityTarget;
  /** Content: this workflow's history alone may hold it. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** The bell: a delivery may be waiting. Carries nothing, because the rows are the queue. */
export const ringSignal = defineSignal('ring');

/** A turn was cancelled in the database: whoever works on it may stop. Ignored where it isn't current. */
export const cancelTurnSignal = defineSignal<[{ readonly turnId: string }]>('cancelTurn');

/** Other agents have answered a tool call that waits for them. Ignored where none does. */
export const replySignal = defineSignal<[{ readonly effectId: string }]>('reply');

/** Where a running execution stands. */
export interface TurnProgress {
  readonly turnId: string | null;
  /** 1-based; 0 before the first. */
  readonly step: number;
  /** What it is doing: a tool's name, or `model`, `evicting`, `closing`, `waiting`. */
  readonly doing: string;
}

export const turnProgressQuery = defineQuery<TurnProgress>('turnProgress');

/**
 * An activity that gives no sign of life for so long is tried again. Longer than a starved or paused worker is silent: a
 * second model call costs money. Other workers see a death at once (`worker/deaths.ts`) and do not wait for this.
 */
export const keepAliveTimeout = '30s';

/** The first retry of a failed model call waits this long, in ms; later ones wait longer, up to half a minute. */
export const firstRetryMs = 250;

/** A workflow task of a killed worker is given to another one after this time, whoever began the execution. */
export const workflowTaskTimeout = '2s' as const;
