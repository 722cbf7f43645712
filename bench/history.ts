import { randomUUID } from 'node:crypto';
import { type Client, type WorkflowHandle, WorkflowFailedError } from '@temporalio/client';
import { placePast } from '../test/support/agents/past.js';
import { makeAgent, post, say } from './api.js';
import type { BenchStack } from './bench-stack.js';
import { resultLength } from './control/activities.js';
import { judged, print, shown, table } from './figures.js';

const steps = 100;
const shownSteps = [1, 10, 50, 100];
const aimBytes = 4_000;
/** The conversation before the turn: 160 messages of 5 kB, about 200,000 tokens. */
const conversation = Array.from({ length: 160 }, () => 'We spoke of the sea. '.repeat(5_000 / 21));

type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

/** The size of a workflow's history after each model call, in bytes, as Temporal's server counts it. */
interface Curve {
  readonly bytes: readonly number[];
  readonly end: string;
}

/** Measures how a turn's history grows with its steps. The control passes the prompt as its activity's input. */
export async function benchHistory(bench: BenchStack): Promise<void> {
  const { temporal, controlQueue, stack, database } = bench;
  const agentId = await makeAgent(stack, `search-${steps - 1}`, 1_000_000);
  await placePast(database.db, agentId, conversation);
  await post(stack, `/v1/agents/${agentId}/archival-memory`, {
    text: 'The lighthouse. '.repeat(resultLength / 16),
  });
  const before = await databaseSize(bench);
  const startedAt = performance.now();
  await say(stack, agentId, { maxSteps: steps });
  const seconds = (performance.now() - startedAt) / 1_000;
  const grown = (await databaseSize(bench)) - before;
  const ours = await readCurve(temporal, agentId, ['callModel']);
  const control = await runControl(temporal, controlQueue);
  const pace = await database.pool.query<{ index: number; ms: number }>(
    `select index, extract(epoch from answered_at - created_at)::float * 1000 as ms from steps where agent_id = $1 order by index`,
    [agentId],
  );
  const msOf = (from: number): number => {
    const ms = pace.rows.slice(from, from + 10).map((row) => row.ms);
    return ms.reduce((sum, one) => sum + one, 0) / ms.length;
  };
  print(
    '\n## History: bytes of Temporal history per step, in a conversation of 200,000 tokens with 5 kB tool results\n',
  );
  const head = ['workflow', ...shownSteps.map((step) => `step ${step}`), 'total', 'end'];
  print(table([head, rowOf('perdure', ours), rowOf('prompt as activity input', control)]));
  const perStep = (ours.bytes.at(-1) ?? NaN) / ours.bytes.length;
  print(
    `\nperdure, bytes per step: ${judged(perStep, aimBytes, 'lower')}. PostgreSQL grew by ${shown(grown / steps / 1_000)} kB per step.`,
  );
  print(
    `The turn took ${seconds.toFixed(1)} s. A model call took ${shown(msOf(0))} ms in the first ten steps and ${shown(msOf(steps - 10))} ms in the last ten.`,
  );
}

async function runControl(temporal: Client, taskQueue: string): Promise<Curve> {
  const workflowId = `prompt-as-input-${randomUUID()}`;
  const args = [{ steps, conversation }];
  try {
    await temporal.workflow.execute('promptAsInput', {
      workflowId,
      taskQueue,
      args,
      workflowExecutionTimeout: '5 minutes',
    });
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
  }
  return readCurve(temporal, workflowId, ['readPrompt']);
}

async function readCurve(
  temporal: Client,
  workflowId: string,
  activities: readonly string[],
): Promise<Curve> {
  const bytes: number[] = [];
  let calls = 0;
  for await (const event of readHistory(temporal, workflowId)) {
    const started = event.workflowTaskStartedEventAttributes;
    // Each workflow task reports the size of the history so far, which includes the calls before it.
    if (started != null && calls > bytes.length) bytes[calls - 1] = Number(started.historySizeBytes);
    const name = event.activityTaskScheduledEventAttributes?.activityType?.name;
    if (name != null && activities.includes(name)) calls += 1;
  }
  const { status } = await temporal.workflow.getHandle(workflowId).describe();
  return { bytes, end: `${status.name.toLowerCase()} after ${calls} steps` };
}

/** Reads the events in small pages: one of the default size would exceed the server's limit for a response. */
async function* readHistory(temporal: Client, workflowId: string): AsyncGenerator<HistoryEvent> {
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await temporal.workflowService.getWorkflowExecutionHistory({
      namespace: temporal.options.namespace,
      execution: { workflowId },
      maximumPageSize: 3,
      nextPageToken,
    });
    yield* page.history?.events ?? [];
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0);
}

function rowOf(name: string, { bytes, end }: Curve): string[] {
  const at = (step: number): string => {
    const now = bytes[step - 1];
    return now === undefined ? '–' : `${now - (bytes[step - 2] ?? 0)} B`;
  };
  return [name, ...shownSteps.map(at), `${shown((bytes.at(-1) ?? NaN) / 1_000)} kB`, end];
}

async function databaseSize({ database }: BenchStack): Promise<number> {
  const size = await database.pool.query<{ bytes: number }>(
    'select pg_database_size(current_database()) as bytes',
  );
  return size.rows[0]?.bytes ?? NaN;
}
