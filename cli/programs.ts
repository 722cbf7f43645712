import { pathToFileURL } from 'node:url';
import { Command } from 'commander';
import { isClone, ownModule } from '../adapters/settings/own-modules.js';

/** Programs of this package that take the place of the command line in its process. */
const programs = {
  quickstart: ['stack/quickstart', 'start everything and show what an agent is'],
  start: ['stack/main', 'start PostgreSQL, Temporal, a worker and the server, and keep them running'],
  server: ['server/main', 'start the REST server alone'],
  worker: ['worker/main', 'start a worker alone'],
  migrate: ['schema/db/migrate', 'bring the database to the newest schema'],
  rebind: ['schema/db/runtime-binding', 'let the database move to another Temporal namespace or task queue'],
  reseal: ['schema/db/reseal', 'seal all secrets with PERDURE_SECRET_KEY'],
} as const;

/** A command for each program. It takes the program's own options. */
export function programCommands(): Command[] {
  return Object.entries(programs).map(([name, [path, description]]) =>
    new Command(name)
      .description(description)
      .helpOption(false)
      .allowUnknownOption()
      .argument('[options...]')
      .action(async (_options, _flags, command: Command) => {
        await become(path, command.args);
      }),
  );
}

/** Runs a program as if Node had been started with it. */
async function become(path: string, args: readonly string[]): Promise<void> {
  if (isClone) (await import('tsx/esm/api')).register();
  const { file } = ownModule(path);
  process.argv = [process.execPath, file, ...args];
  await import(pathToFileURL(file).href);
}
