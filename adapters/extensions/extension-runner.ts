import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ExtensionDescription } from '../../core/extensions/extension.js';
import { ownModule } from '../settings/own-modules.js';
import { SettingsError } from '../settings/settings-error.js';
import type { ExtensionAnswer, ExtensionCall } from './extension-calls.js';
import { ExtensionFault } from './extensions.js';

/** The thread that runs extensions. */
export interface ExtensionThread {
  readonly extensions: readonly ExtensionDescription[];
  /** The function's answer. Rejects with ExtensionFault. */
  call(call: ExtensionCall): Promise<unknown>;
  close(): Promise<void>;
}

/** The limit for loading all modules, in ms. */
const loadMs = 30_000;

/**
 * Starts the thread and loads the modules in it. A thread that ended is started again at the next call. Throws
 * SettingsError.
 */
export async function startThread(modules: readonly string[], timeoutMs: number): Promise<ExtensionThread> {
  let thread = await load(modules);
  let last: Promise<unknown> = Promise.resolve();

  async function answer(call: ExtensionCall): Promise<unknown> {
    if (thread.ended() !== undefined) thread = await load(modules);
    thread.worker.postMessage(call);
    const said = await nextAnswer(thread, timeoutMs);
    switch (said.kind) {
      case 'done':
        return said.value;
      case 'threw':
        throw new ExtensionFault(said.reason);
      case 'late':
        throw new ExtensionFault(`It took more than ${timeoutMs / 1_000} s and was stopped.`);
      case 'ended':
        throw new ExtensionFault(`It ended the thread that it ran in: ${said.reason}.`);
      default:
        throw new Error(`The extensions' thread said '${said.kind}' to a call.`);
    }
  }

  return {
    extensions: thread.extensions,
    call(call) {
      // One call at a time, so that each has its full time.
      const answered = last.then(() => answer(call));
      last = answered.catch(() => undefined);
      return answered;
    },
    async close() {
      await last;
      await thread.worker.terminate();
    },
  };
}

interface Thread {
  readonly worker: Worker;
  /** Why it ended; undefined: it runs. */
  readonly ended: () => string | undefined;
}

interface LoadedThread extends Thread {
  readonly extensions: readonly ExtensionDescription[];
}

async function load(modules: readonly string[]): Promise<LoadedThread> {
  const thread = begin(modules);
  const said = await nextAnswer(thread, loadMs);
  if (said.kind === 'loaded') return { ...thread, extensions: said.extensions };
  await thread.worker.terminate();
  if (said.kind === 'refused') throw new SettingsError(said.problems);
  const why = said.kind === 'ended' ? said.reason : `not within ${loadMs / 1_000} s`;
  const message = `names modules that can't be loaded (${modules.join(', ')}): ${why}.`;
  throw new SettingsError([{ variable: 'PERDURE_EXTENSIONS', message }]);
}

function begin(modules: readonly string[]): Thread {
  const worker = new Worker(new URL('extension-thread.mjs', import.meta.url), {
    workerData: { modules, host: pathToFileURL(ownModule('adapters/extensions/extension-host').file).href },
    execArgv: [],
  });
  let reason: string | undefined;
  // Without a listener, an error in users' code would end the process, even between two calls.
  worker.once('error', (error) => {
    reason = error instanceof Error ? error.message : String(error);
  });
  worker.once('exit', (code) => {
    reason ??= `exit ${code}`;
  });
  return { worker, ended: () => reason };
}

type Said = ExtensionAnswer | { readonly kind: 'late' } | { readonly kind: 'ended'; readonly reason: string };

/** The thread's next message. If none comes in time, the thread is terminated. */
function nextAnswer({ worker, ended }: Thread, timeoutMs: number): Promise<Said> {
  return new Promise((resolve) => {
    const settle = (said: Said): void => {
      clearTimeout(deadline);
      worker.off('message', settle).off('exit', onExit);
      resolve(said);
    };
    const onExit = (code: number): void => {
      settle({ kind: 'ended', reason: ended() ?? `exit ${code}` });
    };
    const deadline = setTimeout(() => {
      worker.off('exit', onExit);
      // The next call must find it ended.
      void worker.terminate().then(() => {
        settle({ kind: 'late' });
      });
    }, timeoutMs);
    worker.once('message', settle).once('exit', onExit);
  });
}
