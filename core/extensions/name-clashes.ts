import { nameFault } from '../tools/custom-tools.js';
import { builtinTools } from '../tools/tools.js';
import type { ExtensionDescription } from './extension.js';

/**
 * Names that several extensions, their tools and the runtime's tools share, and names that are not valid, as the ends
 * of sentences.
 */
export function findNameClashes(extensions: readonly ExtensionDescription[]): readonly string[] {
  const tools = extensions.flatMap((extension) =>
    extension.tools.map(({ name }) => ({ name, extension: extension.name })),
  );
  const builtin = new Set(builtinTools.map(({ name }) => name));
  return [
    ...repeated(extensions.map(({ name }) => name)).map((name) => `two extensions are called '${name}'.`),
    ...repeated(tools.map(({ name }) => name)).map((name) => {
      const holders = tools.filter((tool) => tool.name === name).map(({ extension }) => `'${extension}'`);
      return `two tools are called '${name}', of ${[...new Set(holders)].join(' and ')}.`;
    }),
    ...tools
      .filter(({ name }) => builtin.has(name))
      .map(({ name, extension }) => `tool '${name}' of '${extension}' has the name of a built-in tool.`),
    ...tools.flatMap(({ name }) => nameFault(name) ?? []),
  ];
}

function repeated(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
