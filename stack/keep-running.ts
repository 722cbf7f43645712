import { isSameProcess } from '../adapters/settings/process-identity.js';
import type { Part } from './parts.js';
import type { OnProgress } from './progress.js';

/** A running server process that can be ended. */
export interface KeptServer {
  readonly pid: number;
  readonly identity: string;
  stop(): Promise<void>;
}

export interface KeepOptions<T extends KeptServer> {
  readonly name: string;
  readonly server: T;
  /** Starts it again on the same data and at the same address, the only one that its clients know. Throws while that fails. */
  readonly startAgain: () => Promise<T>;
  /** Called with this server, and with each that replaces it. */
  readonly onRunning?: (server: T) => void;
  /** The signal that ends the server at once without harm to its data. */
  readonly killSignal: NodeJS.Signals;
  readonly onProgress: OnProgress;
}

const lookEveryMs = 1_000;

/** Watches a server and starts it again when its process is gone, repeatedly where that fails. */
export function keepRunning<T extends KeptServer>(options: KeepOptions<T>): Part {
  let { server } = options;
  options.onRunning?.(server);
  let starting: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (starting !== undefined || isSameProcess(server.pid, server.identity)) return;
    options.onProgress(`${options.name} ended (process ${server.pid}): starting it again`);
    starting = options
      .startAgain()
      .then((next) => {
        server = next;
        options.onRunning?.(server);
      })
      .catch((error: unknown) => {
        options.onProgress((error as Error).message);
      })
      .finally(() => {
        starting = undefined;
      });
  }, lookEveryMs);
  return {
    name: options.name,
    stop: async () => {
      clearInterval(timer);
      await starting;
      await server.stop();
    },
    kill: () => {
      clearInterval(timer);
      if (isSameProcess(server.pid, server.identity)) process.kill(server.pid, options.killSignal);
    },
  };
}
