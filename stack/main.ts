import { loadEnvironment, readSettings, SettingsError } from '../adapters/settings/settings.js';
import { findExposure } from './exposure.js';
import { StackRunningError } from './lock.js';
import { startStack } from './stack.js';
import { outliveLostOutput } from './lost-output.js';
import { stopOnSignals } from './signals.js';

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(): Promise<void> {
  const env = loadEnvironment();
  const settings = readSettings(env);
  const startedAt = Date.now();
  const signals = stopOnSignals(say);
  const stack = await startStack(settings, { onProgress: say, env, signal: signals.signal });
  signals.hold(stack);
  say('');
  say(`perdure is up (${((Date.now() - startedAt) / 1_000).toFixed(1)} s)`);
  say(`  API          ${stack.api}`);
  say(`  API docs     ${stack.api}/docs`);
  if (stack.temporalUi !== undefined) say(`  Temporal UI  ${stack.temporalUi}`);
  say(`  Data         ${stack.home}`);
  const exposure = findExposure(settings.http);
  if (exposure !== undefined) say(exposure);
  say('Ctrl-C stops it.');
}

outliveLostOutput();
try {
  await main();
} catch (error) {
  // The messages of these two are complete; other errors may need the stack trace.
  const expected = error instanceof SettingsError || error instanceof StackRunningError;
  const aborted = error instanceof Error && error.name === 'AbortError';
  if (!aborted) process.stderr.write(`${expected ? error.message : String((error as Error).stack)}\n`);
  process.exit(aborted ? 0 : 1);
}
