import { variables } from '../../adapters/settings/variables.js';

/** The environment of a program as a user starts it: without the developer's settings, and without the npm and jest that run the tests. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(lifecycle|package)_|NODE_ENV$|JEST_)/.test(name),
  );
  // Variables that are set to nothing count as not set, whatever `.env` says.
  const unset = Object.keys(variables.shape).map((name): [string, string] => [name, '']);
  return { ...Object.fromEntries(inherited), ...Object.fromEntries(unset), NO_COLOR: '1', NODE_OPTIONS: '' };
}
