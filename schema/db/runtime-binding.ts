import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { resolveDatabaseWays } from '../../adapters/settings/endpoints.js';
import { commandOf } from '../../adapters/settings/own-modules.js';
import { SettingsError, type SettingsProblem } from '../../adapters/settings/settings-error.js';
import { loadEnvironment, readSettings } from '../../adapters/settings/settings.js';
import { type Db, openDatabase } from './database.js';

/** The Temporal namespace and task queue that run a database's turns. */
export interface Binding {
  readonly namespace: string;
  readonly taskQueue: string;
}

/**
 * Checks that this database's turns run here and nowhere else: workers of two task queues would take each other's
 * executions for dead and resume them. A database without any worker so far is free. Throws SettingsError.
 */
export async function checkBinding(db: Db, here: Binding): Promise<void> {
  const { rows } = await sql<Binding>`
    select namespace, task_queue as "taskQueue" from runtime_binding`.execute(db);
  const [bound] = rows;
  if (bound === undefined) return;
  const problems = [
    ...differing('TEMPORAL_NAMESPACE', here.namespace, bound.namespace),
    ...differing('PERDURE_TASK_QUEUE', here.taskQueue, bound.taskQueue),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
}

/**
 * Binds a database without any worker so far to this namespace and task queue, then checks as `checkBinding` does.
 */
export async function bindDatabase(db: Db, here: Binding): Promise<void> {
  await sql`
    insert into runtime_binding (namespace, task_queue) values (${here.namespace}, ${here.taskQueue})
    on conflict do nothing`.execute(db);
  await checkBinding(db, here);
}

function differing(variable: string, here: string, bound: string): SettingsProblem[] {
  if (here === bound) return [];
  const message =
    `is '${here}', but the turns of this database run in '${bound}', where they would be taken twice. ` +
    `Set it to '${bound}', or use another database. To move this one, stop all servers and workers on it and run ${commandOf('rebind')}.`;
  return [{ variable, message }];
}

/** Frees the database: the next worker binds it. */
export async function unbindDatabase(db: Db): Promise<void> {
  await sql`delete from runtime_binding`.execute(db);
}

async function main(): Promise<void> {
  const database = openDatabase(resolveDatabaseWays(readSettings(loadEnvironment())).databaseDirectUrl);
  await unbindDatabase(database.db);
  await database.close();
  process.stdout.write('The next worker that starts decides where the turns of this database run.\n');
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
