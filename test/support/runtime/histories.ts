import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { loadWorkflowBundle } from './temporal.js';
import { unhookPromises } from './workflow-hooks.js';

export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

/** The histories of all executions of these workflows. */
export async function fetchHistories(client: Client, workflowIds: readonly string[]): Promise<History[]> {
  const histories: History[] = [];
  for (const workflowId of workflowIds) {
    const found = new Set<string>();
    for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` }))
      found.add(runId);
    // What is listed lags behind: the newest execution is asked for by its id.
    found.add((await client.workflow.getHandle(workflowId).describe()).runId);
    for (const runId of found)
      histories.push(await client.workflow.getHandle(workflowId, runId).fetchHistory());
  }
  return histories;
}

/** What a history says was run, in order: ordinary activities and local ones. */
export function activitiesOf({ events }: History): string[] {
  return (events ?? []).flatMap((event) => {
    const ordinary = event.activityTaskScheduledEventAttributes?.activityType?.name;
    const local = event.markerRecordedEventAttributes?.details?.['data']?.payloads?.[0]?.data;
    const name =
      local == null ? undefined : /"activity_type":"(\w+)"/.exec(Buffer.from(local).toString())?.[1];
    return [ordinary, name].filter((one) => one != null);
  });
}

/**
 * What a history shows in the Temporal UI, in order: each activity's type with its summary, `local` before those that
 * are, and its timers.
 */
export function timelineOf({ events }: History): string[] {
  return (events ?? []).flatMap((event) => {
    if (event.timerStartedEventAttributes != null) return ['timer'];
    const [type] = activitiesOf({ events: [event] });
    if (type === undefined) return [];
    const summary = event.userMetadata?.summary?.data;
    const told = summary == null ? 'no summary' : String(JSON.parse(Buffer.from(summary).toString()));
    return [`${event.markerRecordedEventAttributes == null ? '' : 'local '}${type}: ${told}`];
  });
}

/** Which activities were tried again, and why: what happened to the try before the last. */
export function retriesOf({ events }: History): string[] {
  const names = new Map(
    events?.map((event) => [
      Number(event.eventId),
      event.activityTaskScheduledEventAttributes?.activityType?.name,
    ]),
  );
  return (events ?? []).flatMap((event) => {
    const started = event.activityTaskStartedEventAttributes;
    if (started?.lastFailure == null) return [];
    const { message, applicationFailureInfo } = started.lastFailure;
    const name = names.get(Number(started.scheduledEventId));
    const type = applicationFailureInfo?.type ?? '';
    return [`${name}, attempt ${started.attempt} after: ${message} ${type}`.trim()];
  });
}

/** The workers that took part, in the order of the events; a worker as often as it wrote one. */
export function identitiesOf({ events }: History): string[] {
  return (events ?? []).flatMap((event) => {
    const done = event.workflowTaskCompletedEventAttributes ?? event.activityTaskStartedEventAttributes;
    return done?.identity == null || done.identity === '' ? [] : [done.identity];
  });
}

/** A history as JSON, with every payload decoded: what somebody reads who opens it in the Temporal UI. */
export function decodeHistory(history: History): string {
  const json = historyToJSON(history);
  const decoded = json.replace(/"data":\s*"([A-Za-z0-9+/=]+)"/g, (whole, data: string) => {
    const text = Buffer.from(data, 'base64').toString('utf8');
    return `${whole}, "text": ${JSON.stringify(text)}`;
  });
  return decoded;
}

const saved = new URL('../../histories/', import.meta.url);

/** The histories that were recorded of earlier code. */
export function recordedHistories(): History[] {
  return readdirSync(saved).map((name) =>
    historyFromJSON(JSON.parse(readFileSync(new URL(name, saved), 'utf8'))),
  );
}

/** Where RECORD_HISTORIES asks for it: saves histories beside the earlier ones of the name, which stay as they are. */
export function recordIfAsked(name: string, histories: readonly History[]): void {
  if (process.env['RECORD_HISTORIES'] === undefined) return;
  const earlier = readdirSync(saved).filter((file) => file.startsWith(`${name}-`)).length;
  histories.forEach((history, index) => {
    const lasting = JSON.stringify(JSON.parse(decodeHistory(history)), withoutMachine, 1);
    writeFileSync(new URL(`${name}-${earlier + index}.json`, saved), `${lasting}\n`);
  });
}

/** What only tells of the machine that made a history is not kept. */
function withoutMachine(key: string, value: unknown): unknown {
  if (key === 'stackTrace' || key === 'text') return undefined;
  return key === 'identity' ? 'worker' : value;
}

/** Replays histories against the workflows of today, or of this bundle; the errors of those that do not fit them. */
export async function replay(
  histories: readonly History[],
  workflowBundle = loadWorkflowBundle(),
): Promise<unknown[]> {
  const named = histories.map((history, index) => ({ workflowId: `replay-${index}`, history }));
  const errors: unknown[] = [];
  try {
    for await (const { error } of Worker.runReplayHistories({ workflowBundle }, named)) {
      if (error !== undefined) errors.push(error);
    }
  } finally {
    unhookPromises();
  }
  return errors;
}
