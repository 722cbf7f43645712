import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../stack/ports.js';
import { packageFile } from '../stack/processes.js';
import { waitFor } from '../stack/waiting.js';
import { judged, print, summarise, table } from './figures.js';

const rounds = 3;
const aimSeconds = 10;
const patienceMs = 120_000;

/** Measures the time from `npm start` until /v1/health answers, on a new data directory and on the same one again. */
export async function benchStart(): Promise<void> {
  const cold: number[] = [];
  const warm: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const home = mkdtempSync(join(tmpdir(), 'perdure-bench-'));
    cold.push(await startOnce(home));
    warm.push(await startOnce(home));
    rmSync(home, { recursive: true, force: true });
  }
  print(`\n## Start: \`npm start\` until /v1/health answers, s over ${rounds} starts (binaries cached)\n`);
  const row = (name: string, times: readonly number[]): string[] => {
    const { p50, p95 } = summarise(times);
    return [name, judged(p50, aimSeconds, 'lower'), p95.toFixed(1)];
  };
  print(table([['start', 'median', 'worst'], row('cold: a new data directory', cold), row('warm', warm)]));
}

async function startOnce(home: string): Promise<number> {
  const port = await findFreePort();
  const startedAt = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: packageFile('.'),
    env: {
      ...process.env,
      ...{ PERDURE_HOME: home, PORT: String(port), HOST: '', DATABASE_URL: '', TEMPORAL_ADDRESS: '' },
    },
    stdio: 'ignore',
    // Its own process group, to which a SIGINT is sent as Ctrl-C does.
    detached: true,
  });
  const ended = once(child, 'exit');
  const isUp = async (): Promise<true | undefined> => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/health/`).catch(() => undefined);
    return response?.ok === true || undefined;
  };
  const up = await waitFor(isUp, { timeoutMs: patienceMs });
  const took = (performance.now() - startedAt) / 1_000;
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await ended;
  if (up !== true) throw new Error('npm start did not come up.');
  return took;
}
