import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Log } from '../activities/deps.js';
import {
  loadEnvironment,
  readSettings,
  type Settings,
  SettingsError,
} from '../adapters/settings/settings.js';
import { openWorker } from './open-worker.js';

/** The worker process: runs turns until it is stopped. */
async function main(): Promise<void> {
  const env = loadEnvironment();
  const settings = readSettings(env);
  const log = installRuntime(settings);
  const worker = await openWorker({ settings, env, log, endsAtStandstill: true });
  const running = worker.run();
  process.send?.({ ready: true });
  await running;
}

function installRuntime(settings: Settings): Log {
  const level = settings.logLevel === 'debug' ? 'DEBUG' : settings.logLevel === 'info' ? 'INFO' : 'WARN';
  const logger = new DefaultLogger(level);
  Runtime.install({
    logger,
    shutdownSignals: ['SIGINT', 'SIGTERM'],
    telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN' }) } },
  });
  return {
    warn: (message, details) => {
      logger.warn(message, { ...details });
    },
    error: (message, details) => {
      logger.error(message, { ...details });
    },
  };
}

await main().catch((error: unknown) => {
  const message =
    error instanceof SettingsError ? error.message : String(error instanceof Error ? error.stack : error);
  process.stderr.write(`${message}\n`);
  // Open connections would keep a failed worker's process alive, and its supervisor waiting.
  process.exit(1);
});
