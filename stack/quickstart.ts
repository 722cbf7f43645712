import pc from 'picocolors';
import {
  loadEnvironment,
  readSettings,
  SettingsError,
  type Settings,
} from '../adapters/settings/settings.js';
import { findExposure } from './exposure.js';
import { StackRunningError } from './lock.js';
import { outliveLostOutput } from './lost-output.js';
import { stopOnSignals } from './signals.js';
import { startStack, type Stack } from './stack.js';
import { createTourApi, TourError } from './tour/api.js';
import { readTourOptions, TourOptionsError, usage } from './tour/facts.js';
import { showNext } from './tour/next.js';
import { createScreen } from './tour/screen.js';
import { demoModel, runTour } from './tour/tour.js';

function write(text: string): void {
  process.stdout.write(text);
}

/** Starts the stack, runs the tour and stays up. */
async function main(): Promise<void> {
  const { facts, once, help } = readTourOptions(process.argv.slice(2));
  if (help) {
    write(`${usage}\n`);
    return;
  }
  const env = loadEnvironment();
  const settings = readSettings(env);
  const screen = createScreen(write);
  screen.line(pc.bold('perdure: agents that remember, and outlive a kill'));
  screen.line();
  const startedAt = Date.now();
  const onProgress = (text: string): void => {
    screen.aside(text);
  };
  const signals = stopOnSignals(onProgress);
  const stack = await startStack(settings, { onProgress, env, signal: signals.signal });
  signals.hold(stack);
  screen.good(`PostgreSQL, Temporal, worker and server are up (${secondsSince(startedAt)} s)`);
  try {
    const api = createTourApi({
      url: stack.api,
      password: settings.http.password,
      signal: signals.signal,
      onBroken: (after) => {
        screen.aside(`the stream broke: resuming it after ${after}`);
      },
    });
    const model = settings.model ?? demoModel;
    const agentId = await runTour({ api, screen, worker: stack.worker, model, facts });
    if (once) await stack.stop();
    showNext(screen, { agentId, model, ...addresses(stack, settings), isUp: !once });
    if (once) process.exit(0);
    const exposure = findExposure(settings.http);
    if (exposure !== undefined) screen.bad(exposure);
  } catch (error) {
    // The user pressed Ctrl-C: no message, the stack is stopping.
    if (signals.signal.aborted) return;
    await stack.stop();
    throw error;
  }
}

function addresses({ api, temporalUi, home }: Stack, { temporal }: Settings) {
  return { api, home, namespace: temporal.namespace, ...(temporalUi === undefined ? {} : { temporalUi }) };
}

function secondsSince(startedAt: number): string {
  return ((Date.now() - startedAt) / 1_000).toFixed(1);
}

outliveLostOutput();
try {
  await main();
} catch (error) {
  const expected = [SettingsError, StackRunningError, TourError, TourOptionsError].some(
    (kind) => error instanceof kind,
  );
  const aborted = error instanceof Error && error.name === 'AbortError';
  if (!aborted)
    process.stderr.write(`${expected ? (error as Error).message : String((error as Error).stack)}\n`);
  process.exit(aborted ? 0 : 1);
}
