import type { MessagePort } from 'node:worker_threads';
import { findNameClashes } from '../../core/extensions/name-clashes.js';
import { describeExtension, type Extension, toolsOf } from '../../core/extensions/extension.js';
import type { ExtensionTool } from '../../core/extensions/tools.js';
import { SettingsError, type SettingsProblem } from '../settings/settings-error.js';
import type { ExtensionAnswer, ExtensionCall } from './extension-calls.js';
import { fromExports } from './extension-shape.js';
import { loadModule } from './load-module.js';

const variable = 'PERDURE_EXTENSIONS';

/**
 * Loads users' modules and answers calls of their functions, in a thread that may be terminated at any moment, so
 * that a function that never returns can't block the process.
 */
export async function serveExtensions(port: MessagePort, modules: readonly string[]): Promise<void> {
  const { extensions, problems } = await loadAll(modules);
  const say = (answer: ExtensionAnswer): void => {
    port.postMessage(answer);
  };
  if (problems.length > 0) {
    say({ kind: 'refused', problems });
    return;
  }
  port.on('message', (call: ExtensionCall) => {
    try {
      say({ kind: 'done', value: answerTo(extensions, call) });
    } catch (error) {
      // Also for answers that can't be cloned: a promise, a function.
      say({ kind: 'threw', reason: error instanceof Error ? error.message : String(error) });
    }
  });
  say({ kind: 'loaded', extensions: extensions.map(describeExtension) });
}

async function loadAll(modules: readonly string[]): Promise<{
  readonly extensions: readonly Extension[];
  readonly problems: readonly SettingsProblem[];
}> {
  const extensions: Extension[] = [];
  const problems: SettingsProblem[] = [];
  for (const name of modules) {
    try {
      const found = fromExports(await loadModule({ variable, name }));
      if (found.ok) extensions.push(...found.extensions);
      else problems.push({ variable, message: `names ${name}, ${found.fault}` });
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      problems.push(...error.problems);
    }
  }
  const clashes = findNameClashes(extensions.map(describeExtension));
  const told = clashes.map((clash) => ({
    variable,
    message: `names extensions that can't be used: ${clash}`,
  }));
  return { extensions, problems: [...problems, ...told] };
}

function answerTo(extensions: readonly Extension[], call: ExtensionCall): unknown {
  switch (call.kind) {
    case 'edit':
      return findTool(extensions, call.tool).edit(call.args, call.sections);
    case 'compile':
      return find(extensions, call.extension).compile?.(call.state, call.base);
    case 'decide':
      return find(extensions, call.extension).decide?.(call.step, call.base);
  }
}

function find(extensions: readonly Extension[], name: string): Extension {
  const extension = extensions.find((one) => one.name === name);
  if (extension === undefined) throw new Error(`There is no extension '${name}'.`);
  return extension;
}

function findTool(
  extensions: readonly Extension[],
  name: string,
): Extract<ExtensionTool, { kind: 'memory' }> {
  const tool = extensions.flatMap(toolsOf).find((one) => one.name === name);
  if (tool?.kind !== 'memory') throw new Error(`There is no tool '${name}' that edits memory.`);
  return tool;
}
