import { writeSync } from 'node:fs';
import { activityInfo } from '@temporalio/activity';
import type pg from 'pg';
import type { Activities } from '../../activities/index.js';
import type { Db } from '../../schema/db/database.js';
import type { WaitLimits } from '../../schema/db/wait-limits.js';

type Activity = keyof Activities;

/**
 * Where the work for some workflows stops. `before` and `after`: at a call of an activity (after: it has done its work,
 * and Temporal was not told). `sql`: when a statement that contains this was executed, `within` an activity or any. It
 * is not committed where it is within a transaction, unless it travels with the commit: nobody was told of that then.
 * A workflow that comes there, as the n-th or later, is stopped for ever, while all else in the process goes on. Only
 * `freeze` stops the event loop, at each call of an activity while a turn of the agent runs.
 */
export type Point =
  | { readonly before: Activity; readonly nth?: number }
  | { readonly after: Activity; readonly nth?: number }
  | { readonly sql: string; readonly within?: Activity; readonly nth?: number }
  | { readonly freeze: Activity };

/** A point for the workflows with these ids. It counts from now on, over all of them. */
export interface Stop {
  readonly point: Point;
  readonly workflows: readonly string[];
}

/** What is done for a workflow just now. */
type Place =
  | { readonly before: string }
  | { readonly after: string }
  | { readonly sql: string; readonly within: string };

interface Armed extends Stop {
  /** How often a workflow came there. */
  seen: number;
  /** The workflows that were stopped. */
  readonly stopped: Set<string>;
}

/** What waits for a transaction that is stopped waits until the kill. The transaction itself may stay as it is. */
export const patience: WaitLimits = {
  connectMs: 120_000,
  statementMs: 120_000,
  lockMs: 120_000,
  idleTransactionMs: 0,
};

/** Never settles. */
const standstill = new Promise<never>(() => undefined);

/** The stops of a process, which tells its parent when it knows one, and when one is reached, by its first workflow. */
export function createStops(): {
  add(stop: Stop): void;
  /** Has these activities stop at points. */
  wrap(activities: Activities, db: Db): Activities;
  /** Has the statements of activities on these connections stop at points. */
  observe(pool: pg.Pool): void;
} {
  const all: Armed[] = [];

  return {
    add(stop) {
      all.push({ ...stop, seen: 0, stopped: new Set() });
      tell('knows', stop);
    },
    wrap: (activities, db) =>
      Object.fromEntries(
        Object.entries(activities).map(([name, activity]) => {
          const original = activity as (input: never) => Promise<unknown>;
          const stopping = async (input: never): Promise<unknown> => {
            const here = whereIn(all);
            if (here === undefined) return original(input);
            await freezeIn(here.stop, name, db);
            await pass(here, { before: name });
            const result = await original(input);
            await pass(here, { after: name });
            return result;
          };
          return [name, stopping];
        }),
      ) as Activities,
    observe(pool) {
      pool.on('connect', (client) => {
        const query = client.query.bind(client) as (...parts: unknown[]) => Promise<unknown>;
        const stopping = (statement: string | { readonly text: string }, ...others: unknown[]) => {
          const here = whereIn(all);
          if (here === undefined || others.length > 0) return query(statement, ...others);
          if (here.stop.stopped.has(here.workflow)) return standstill;
          const sql = typeof statement === 'string' ? statement : statement.text;
          return query(statement).then(async (result) => {
            await pass(here, { sql, within: here.activity });
            return result;
          });
        };
        Object.assign(client, { query: stopping });
      });
    },
  };
}

function tell(what: 'knows' | 'reached', { workflows }: Stop): void {
  // Synchronously, because nothing of the process may run after it.
  writeSync(1, `${what} ${String(workflows[0])}\n`);
}

/** What runs here, where there is a stop for it. */
interface Here {
  readonly stop: Armed;
  readonly workflow: string;
  readonly activity: string;
}

function whereIn(all: readonly Armed[]): Here | undefined {
  if (all.length === 0) return undefined;
  try {
    const { activityType: activity, workflowExecution } = activityInfo();
    const workflow = workflowExecution?.workflowId ?? '';
    const stop = all.find(({ workflows }) => workflows.includes(workflow));
    return stop && { stop, workflow, activity };
  } catch {
    // No activity runs here.
    return undefined;
  }
}

/** Does not return where the workflow is stopped now, or was before. */
async function pass({ stop, workflow }: Here, place: Place): Promise<void> {
  const { point, stopped } = stop;
  if (!stopped.has(workflow) && isAt(point, place)) {
    stop.seen += 1;
    if (stop.seen < ('nth' in point ? point.nth : 1)) return;
    stopped.add(workflow);
    if (stopped.size === 1) tell('reached', stop);
  }
  if (stopped.has(workflow)) await standstill;
}

function isAt(point: Point, place: Place): boolean {
  if ('before' in point) return 'before' in place && point.before === place.before;
  if ('after' in point) return 'after' in place && point.after === place.after;
  if ('freeze' in point || !('sql' in place)) return false;
  return place.sql.includes(point.sql) && (point.within ?? place.within) === place.within;
}

async function freezeIn(stop: Armed, activity: string, db: Db): Promise<void> {
  if (!('freeze' in stop.point) || stop.point.freeze !== activity) return;
  // What is done for a turn that has ended is turned away first.
  const turns = db.selectFrom('turns').select('id').where('agent_id', 'in', stop.workflows);
  if ((await turns.where('state', '=', 'running').executeTakeFirst()) === undefined) return;
  tell('reached', stop);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
