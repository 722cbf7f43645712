import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { McpConfig } from '../../core/tools/mcp.js';
import { signalGroup } from '../process-group.js';
import { countLines, type Intake } from './intake.js';
import { endMarked, markVariable } from './marked-processes.js';

/**
 * A server that is a process, with one JSON message per line. Promises beyond the library's own transport:
 * 1. Its output is read only as far as `take` allows. Beyond that, the process is killed.
 * 2. Closing also ends the child processes of the server's process (`npx`, `uvx` and shells start one), even daemons
 *    that left its group. A server may take `graceMs` to exit after its input has ended, and again after a signal.
 */
export function processTransport(
  config: Extract<McpConfig, { readonly transport: 'stdio' }>,
  { take, graceMs }: { readonly take: Intake; readonly graceMs: number },
): Transport {
  // The buffer's own limit would drop a message and let its request time out. `take` is the limit.
  const messages = new ReadBuffer({ maxBufferSize: Infinity });
  let child: ChildProcess | undefined;
  const mark = randomUUID();
  const transport: Transport = {
    start: async () => {
      child = spawn(config.command, [...config.args], {
        env: { ...getDefaultEnvironment(), ...config.env, [markVariable]: mark },
        stdio: ['pipe', 'pipe', 'ignore'],
        // A process group of its own, which is ended as a whole.
        detached: true,
      });
      const { stdin, stdout } = child;
      // Writing to an ended process fails silently; `close` reports the end.
      stdin?.on('error', () => undefined);
      stdout?.on('data', (piece: Buffer) => {
        if (take(piece, countLines(piece))) read(messages, piece, transport);
        else if (child !== undefined) killOrReport(child, transport);
      });
      child.on('close', () => transport.onclose?.());
      await once(child, 'spawn');
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        if (child?.stdin?.writable !== true) reject(new Error('Connection closed'));
        else if (child.stdin.write(serializeMessage(message))) resolve();
        else child.stdin.once('drain', resolve);
      }),
    close: async () => {
      if (child?.pid === undefined) return;
      child.stdin?.end();
      if (!(await endsInTime(child, graceMs))) {
        signalGroup(child, 'SIGTERM');
        await endsInTime(child, graceMs);
      }
      try {
        kill(child);
      } finally {
        await endMarked(mark);
      }
    },
  };
  return transport;
}

/** Passes on complete messages. Other lines, such as logs, are reported and skipped. */
function read(messages: ReadBuffer, piece: Buffer, transport: Transport): void {
  messages.append(piece);
  for (;;) {
    try {
      const message = messages.readMessage();
      if (message === null) return;
      transport.onmessage?.(message);
    } catch (error) {
      transport.onerror?.(error as Error);
    }
  }
}

async function endsInTime(child: ChildProcess, graceMs: number): Promise<boolean> {
  if (hasEnded(child)) return true;
  const patience = new AbortController();
  await Promise.race([
    once(child, 'exit'),
    delay(graceMs, undefined, { signal: patience.signal, ref: false }),
  ]);
  patience.abort();
  return hasEnded(child);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

// A listener must not throw: the system may refuse the signal.
function killOrReport(child: ChildProcess, transport: Transport): void {
  try {
    kill(child);
  } catch (error) {
    transport.onerror?.(error as Error);
  }
}

function kill(child: ChildProcess): void {
  // Its remaining output is not needed. A process that left the group may hold the other end open.
  child.stdout?.destroy();
  signalGroup(child, 'SIGKILL');
}
