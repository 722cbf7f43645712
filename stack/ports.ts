import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname } from 'node:path';
import { waitFor } from './waiting.js';

const host = '127.0.0.1';
const releasePatienceMs = 2_000;

/**
 * A port of the loopback address that was free a moment ago: the first free one of the preferred, else any. Another
 * program may still take it before the caller listens.
 */
export async function findFreePort(...preferred: readonly (number | undefined)[]): Promise<number> {
  for (const port of preferred) {
    if (port !== undefined && (await tryPort(port)) !== undefined) return port;
  }
  const port = await tryPort(0);
  if (port === undefined) throw new Error(`No port of ${host} is free.`);
  return port;
}

/**
 * Waits until a port is free; undefined when it does not become free. A server that was just killed holds its port for a
 * moment, and its successor should use the same one.
 */
export async function waitForPort(port: number | undefined): Promise<number | undefined> {
  if (port === undefined) return undefined;
  return waitFor(() => tryPort(port), { timeoutMs: releasePatienceMs });
}

/** The number that a file of `keepPort` holds; undefined when there is no such file, or nothing usable in it. */
export function readKeptPort(file: string): number | undefined {
  try {
    const port = Number(readFileSync(file, 'utf8').trim());
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a port for the next start. */
export function keepPort(file: string, port: number): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.tmp`, `${port}\n`);
  renameSync(`${file}.tmp`, file);
}

/** True when something listens on a port of the loopback address. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host });
    const settle = (listening: boolean) => () => {
      socket.destroy();
      resolve(listening);
    };
    socket.once('connect', settle(true)).once('error', settle(false)).setTimeout(2_000, settle(false));
  });
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' ? address?.port : undefined);
      });
    });
  });
}
