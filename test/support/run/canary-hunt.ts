import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { waitFor } from '../../../stack/waiting.js';
import { findCanary } from '../runtime/canary.js';
import { decodeHistory } from '../runtime/histories.js';

/** What a hunt found in the histories of a Temporal server. */
export interface Hunt {
  /** Executions whose histories were decoded, but for the planted ones. */
  readonly histories: number;
  /** For people: which histories hold a part of the canary, and where. */
  readonly finds: readonly string[];
  /** Whether the canary was found in each place where the hunt itself had planted it. */
  readonly planted: Readonly<Record<Place, boolean>>;
}

const places = ['input', 'signal', 'failure'] as const;
type Place = (typeof places)[number];

/** The one workflow whose history may hold content: the arguments and the result of a user's own activity. */
const exempt = 'activityTool';

interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

const atOnce = 8;
const patience = { timeoutMs: 90_000, everyMs: 200 };

/**
 * Fetches every history on the server, decodes all payloads, and looks for the canary. To prove that it would be
 * found, some workflows that nobody works on are given it first: as an input, with a signal, as the reason of an end.
 * With `since`, only what was started from then on is searched.
 */
export async function huntCanary(
  server: { readonly address: string; readonly namespace: string },
  canary: string,
  since = new Date(0),
): Promise<Hunt> {
  const connection = await Connection.connect({ address: server.address });
  const client = new Client({ connection, namespace: server.namespace });
  try {
    const controls = await plant(client, canary);
    const executions = await listWith(client, new Set(controls.keys()), since);
    const found = await inGroups(executions, async ({ workflowId, runId }) => {
      const history = decodeHistory(await client.workflow.getHandle(workflowId, runId).fetchHistory());
      const part = findCanary(history, canary);
      return part === undefined ? [] : [{ workflowId, around: around(history, part) }];
    });
    const hits = new Set(found.map(({ workflowId }) => workflowId));
    const planted = [...controls].map(([workflowId, place]) => [place, hits.has(workflowId)]);
    return {
      histories: executions.filter(({ workflowId }) => !controls.has(workflowId)).length,
      finds: found
        .filter(({ workflowId }) => !controls.has(workflowId))
        .map(({ workflowId, around: text }) => `${workflowId}: ${text}`),
      planted: Object.fromEntries(planted) as Record<Place, boolean>,
    };
  } finally {
    await connection.close();
  }
}

/** Workflows without a worker, each with the canary in one place; by their ids. */
async function plant(client: Client, canary: string): Promise<ReadonlyMap<string, Place>> {
  const controls = new Map<string, Place>();
  for (const place of places) {
    const workflowId = `canary-${place}-${randomUUID()}`;
    controls.set(workflowId, place);
    const handle = await client.workflow.start('canaryControl', {
      workflowId,
      taskQueue: workflowId,
      args: place === 'input' ? [{ said: `It is ${canary}.` }] : [],
    });
    if (place === 'signal') await handle.signal('say', { said: canary });
    await handle.terminate(place === 'failure' ? `It failed: ${canary}` : 'a control');
  }
  return controls;
}

/** All executions of the server that are to hold no content; what is listed lags behind, so not before these are. */
async function listWith(
  client: Client,
  workflowIds: ReadonlySet<string>,
  since: Date,
): Promise<readonly Execution[]> {
  const query = `StartTime >= '${since.toISOString()}'`;
  const listed = await waitFor(async () => {
    const executions: Execution[] = [];
    for await (const { workflowId, runId, type } of client.workflow.list({ query })) {
      if (type !== exempt) executions.push({ workflowId, runId });
    }
    const known = executions.filter(({ workflowId }) => workflowIds.has(workflowId));
    return known.length === workflowIds.size ? executions : undefined;
  }, patience);
  if (listed === undefined) throw new Error('Temporal does not list what was started last.');
  return listed;
}

async function inGroups<One, Result>(
  all: readonly One[],
  work: (one: One) => Promise<Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < all.length; start += atOnce) {
    results.push(...(await Promise.all(all.slice(start, start + atOnce).map(work))).flat());
  }
  return results;
}

function around(text: string, part: string): string {
  const at = text.toLowerCase().indexOf(part);
  return `… ${text.slice(Math.max(0, at - 200), at + 40).replace(/\s+/g, ' ')} …`;
}

/** What is wrong with a hunt, for people; undefined where nothing is. */
export function describeHunt({ histories, finds, planted }: Hunt, isWholeRun: boolean): string | undefined {
  const missed = Object.entries(planted).filter(([, isFound]) => !isFound);
  const lines = [
    ...(finds.length === 0 ? [] : [`${String(finds.length)} histories hold content:`, ...finds]),
    ...(missed.length === 0
      ? []
      : [`The canary was not found where it was planted: ${missed.map(([place]) => place).join(', ')}.`]),
    ...(isWholeRun && histories === 0 ? ['There is no history on the test server.'] : []),
  ];
  return lines.length === 0 ? undefined : lines.join('\n');
}
