import { readDecision } from '../../core/extensions/decisions.js';
import { readMemoryEdit } from './extension-shape.js';
import { startThread } from './extension-runner.js';
import { ExtensionFault, type Extensions } from './extensions.js';

/** The time limit of an extension's function, in ms. */
const callMs = 2_000;

/**
 * Loads the users' modules that `PERDURE_EXTENSIONS` names. Their code runs in a thread, one call at a time. A call
 * of more than two seconds ends the thread, which is then started again. Throws one SettingsError that lists every
 * module that can't be loaded, and clashing names.
 */
export async function openExtensions(
  modules: readonly string[],
  { timeoutMs = callMs }: { readonly timeoutMs?: number } = {},
): Promise<Extensions> {
  if (modules.length === 0) return noExtensions;
  const thread = await startThread(modules, timeoutMs);
  return {
    all: thread.extensions,
    async edit(call) {
      const edit = readMemoryEdit(await thread.call({ kind: 'edit', ...call }));
      if (edit === undefined) throw new ExtensionFault('It answered with no list of edits.');
      return edit;
    },
    async compile(call) {
      const prompt = await thread.call({ kind: 'compile', ...call });
      if (typeof prompt !== 'string') throw new ExtensionFault('It answered with no text.');
      return prompt;
    },
    async decide(call) {
      const answer = await thread.call({ kind: 'decide', ...call });
      const decision = readDecision(call.step, call.base, answer);
      if (decision === undefined) throw new ExtensionFault('It answered with no decision.');
      return decision;
    },
    close: () => thread.close(),
  };
}

const none = (): Promise<never> => Promise.reject(new ExtensionFault('No extension is loaded.'));

/** For no modules. */
export const noExtensions: Extensions = {
  all: [],
  edit: none,
  compile: none,
  decide: none,
  close: () => Promise.resolve(),
};
