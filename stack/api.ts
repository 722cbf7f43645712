import { createServer } from 'node:net';
import { SettingsError, type Settings } from '../adapters/settings/settings.js';
import { findFreePort } from './ports.js';
import { showProgress, type OnProgress } from './progress.js';
import { waitFor } from './waiting.js';

const patienceMs = 15_000;
const healthPatienceMs = 60_000;

/**
 * The port of the REST server, and the URL at which it will be found. Throws SettingsError when another program has
 * the port; waits a while for that, when patient, since the server of a stack that was killed needs a moment to end.
 */
export async function claimApi(
  { host, port }: Settings['http'],
  { patient, onProgress }: { patient: boolean; onProgress: OnProgress },
): Promise<{ port: number; url: string }> {
  const chosen = port === 0 ? await findFreePort() : port;
  const freeing = waitFor(() => isFree(host, chosen), { timeoutMs: patient ? patienceMs : 0, everyMs: 200 });
  if ((await showProgress(onProgress, `Waiting for port ${chosen}`, freeing)) !== true) {
    const message = `is ${chosen}, but another program listens there: end it, or set another port.`;
    throw new SettingsError([{ variable: 'PORT', message }]);
  }
  return { port: chosen, url: `http://${reachable(host)}:${chosen}` };
}

/** Resolves when the REST server says that it is well. */
export async function waitForHealth(api: string, password: string | undefined): Promise<void> {
  const headers = password === undefined ? {} : { Authorization: `Bearer ${password}` };
  const healthy = await waitFor(
    async () => {
      const response = await fetch(`${api}/v1/health/`, {
        headers,
        signal: AbortSignal.timeout(5_000),
      }).catch(() => undefined);
      await response?.body?.cancel();
      return response?.ok === true || undefined;
    },
    { timeoutMs: healthPatienceMs, everyMs: 50 },
  );
  if (healthy !== true) throw new Error(`${api}/v1/health/ does not answer.`);
}

function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function isFree(host: string, port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
