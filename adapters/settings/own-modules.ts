import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A module of this package that a process of its own starts with. */
export interface OwnModule {
  readonly file: string;
  /** What Node must be told to read it. */
  readonly flags: readonly string[];
}

const require = createRequire(import.meta.url);

/** Whether this code runs from its TypeScript: in a clone. The package that npm installs holds compiled files alone. */
export const isClone = import.meta.url.endsWith('.ts');

/** How a user types a command of ours: `start`, `quickstart`, `rebind`. */
export function commandOf(name: 'start' | 'quickstart' | 'rebind'): string {
  if (!isClone) return name === 'quickstart' ? 'npx perdure' : `npx perdure ${name}`;
  return name === 'start' ? 'npm start' : `npm run ${name}`;
}

/**
 * The module of this path in the package, without its ending: `worker/main`. A clone has it in TypeScript, which tsx
 * reads, the installed package compiled.
 */
export function ownModule(path: string): OwnModule {
  const file = fileURLToPath(new URL(`../../${path}${isClone ? '.ts' : '.js'}`, import.meta.url));
  return { file, flags: flagsFor(file) };
}

/** What Node must be told to read a file as its main module. */
export function flagsFor(file: string): readonly string[] {
  return /\.m?ts$/.test(file) ? readsTypeScript() : ['--enable-source-maps'];
}

/** What Node must be told to read TypeScript. */
function readsTypeScript(): readonly string[] {
  return ['--import', pathToFileURL(require.resolve('tsx')).href];
}

/** The directories in which Node looks for the packages that this one needs, the nearest first. */
export function packageDirectories(): readonly string[] {
  return (require.resolve.paths('tsx') ?? []).filter((directory) => existsSync(directory));
}
