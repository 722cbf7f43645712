import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { confirm, isCancel, select } from '@clack/prompts';
import { CommandFailure } from './failure.js';
import type { Input, Terminal } from './terminal.js';

/** The terminal that this process runs in. */
export function createProcessTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  return {
    env,
    isInteractive: stdin.isTTY && stdout.isTTY,
    columns: stdout.isTTY ? stdout.columns : Infinity,
    colours: (stdout.isTTY && env['NO_COLOR'] === undefined) || (env['FORCE_COLOR'] ?? '0') !== '0',
    write: (text) => {
      stdout.write(text);
    },
    tell: (text) => {
      stderr.write(text);
    },
    async confirm(message) {
      const answer = await confirm({ message });
      return !isCancel(answer) && answer;
    },
    async choose(message, choices) {
      const answer = await select({ message, options: choices.map((choice) => ({ ...choice })) });
      return isCancel(answer) ? undefined : answer;
    },
    edit: (text, name) => editText(text, name, env['VISUAL'] ?? env['EDITOR'] ?? 'vi'),
    openInput: () => openInput(createInterface({ input: stdin, output: stdout, historySize: 200 })),
  };
}

function openInput(readline: Interface): Input {
  const typed: string[] = [];
  let asked: ((line: string | undefined) => void) | undefined;
  let interrupt: (() => void) | undefined;
  let isClosed = false;
  const answer = (line: string | undefined): void => {
    const resolve = asked;
    asked = undefined;
    resolve?.(line);
  };
  const onInterrupt = (): void => {
    if (interrupt === undefined) readline.close();
    else interrupt();
  };
  readline.on('line', (line) => {
    if (asked === undefined) typed.push(line);
    else answer(line);
  });
  readline.on('close', () => {
    isClosed = true;
    process.off('SIGINT', onInterrupt);
    answer(undefined);
  });
  // A terminal tells of Ctrl-C by the input, a pipe by the signal.
  readline.on('SIGINT', onInterrupt);
  process.on('SIGINT', onInterrupt);
  return {
    next(prompt) {
      if (typed.length > 0) return Promise.resolve(typed.shift());
      if (isClosed) return Promise.resolve(undefined);
      readline.setPrompt(prompt);
      readline.prompt();
      return new Promise((resolve) => {
        asked = resolve;
      });
    },
    onInterrupt(handler) {
      interrupt = handler;
    },
    close: () => {
      readline.close();
    },
  };
}

async function editText(text: string, name: string, editor: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'perdure-'));
  const file = join(directory, `${name.replaceAll(/[^\w-]/g, '_')}.txt`);
  try {
    await writeFile(file, text, { mode: 0o600 });
    // As git does it: the setting may hold arguments.
    const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0)
      throw new CommandFailure('failed', `${editor} ended with ${String(code)}. Nothing was changed.`);
    return await readFile(file, 'utf8');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
