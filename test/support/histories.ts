import type { Client, WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

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
