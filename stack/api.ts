import { createServer } from 'node:net';
import { SettingsError, type Settings } from '../adapters/settings/settings.js';
import { findFreePort } from './ports.js';
import { showProgress, type OnProgress } from './progress.js';
import { waitFor } from './waiting.js';

const patienceMs = 15_000;
const healthPatienceMs = 60_000;

/**
 * Chooses the REST server's port and returns it with the URL. Throws SettingsError when another program has the port. When
 * `patient`, it first waits for the port: the server of a killed stack needs a moment to end.
 */
export async function claimApi(
  { host, port }: Settings['http'],
  { patient, onProgress }: { patient: boolean; onProgress: OnProgress },
): Promise<{ port: number; url: string }> {
  const chosen = port === 0 ? await findFreePort() : port;
  const freeing = waitFor(() => isFree(host, chosen), { timeoutMs: patient ? patienceMs : 0, everyMs: 200 });
  if ((await showProgress(onProgress, `Waiting for port ${chosen}`, freeing)) !== true) {
    const message = `is ${chosen}, but another program listens on it. End that program, or set another port.`;
    throw new SettingsError([{ variable: 'PORT', message }]);
  }
  return { port: chosen, url: `http://${reachable(host)}:${chosen}` };
}

/** Resolves when the REST server's health check answers 200. */
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
