import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { packageFile } from '../../../stack/processes.js';
import { waitFor } from '../../../stack/waiting.js';
import { makeTemporaryDirectory } from '../runtime/temporary.js';

const python = packageFile('.cache/python/chroma/bin/python');
const program = 'from chromadb.cli.cli import app; app()';

/** Whether there is a Chroma server to try: `examples/archival-stores/install-chroma.sh` makes one. */
export function hasChroma(): boolean {
  return existsSync(python);
}

/** A Chroma server on a directory of its own. */
export async function startChroma(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const place = ['--path', makeTemporaryDirectory('chroma'), '--host', '127.0.0.1', '--port', String(port)];
  const server = spawn(python, ['-c', program, 'run', ...place], { stdio: 'ignore' });
  const ended = once(server, 'exit');
  const isUp = await waitFor(
    async () =>
      (await fetch(`${url}/api/v2/heartbeat`).then(
        (response) => response.ok,
        () => false,
      )) || undefined,
    { timeoutMs: 90_000 },
  );
  const stop = async (): Promise<void> => {
    server.kill('SIGKILL');
    await ended;
  };
  if (isUp === true) return { url, stop };
  await stop();
  throw new Error(`The Chroma server at ${url} does not answer.`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}
