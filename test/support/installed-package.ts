import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { variables } from '../../adapters/settings/variables.js';
import { endOf } from '../../stack/processes.js';
import { waitFor } from '../../stack/waiting.js';
import { projectRoot, readProjectFile } from './house/project-files.js';
import { makeTemporaryDirectory } from './runtime/temporary.js';
import { readTestState } from './run/test-state.js';

const run = promisify(execFile);
const patienceMs = 170_000;

/** A directory in which npm has installed this package as it would be published. */
export interface InstalledPackage {
  readonly directory: string;
  readonly tarballBytes: number;
  /** What the tarball holds, as paths inside of the package. */
  readonly files: readonly string[];
  /** Runs a command there to its end; throws where it fails. */
  run(command: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string>;
  write(file: string, text: string): void;
}

/**
 * Packs this package and puts it into an empty directory: npm installs it, or, in a fraction of the time, it is unpacked
 * beside links to the packages that npm would install, as the clone has them.
 */
export async function installPackage(by: 'npm' | 'links'): Promise<InstalledPackage> {
  const directory = makeTemporaryDirectory('installed');
  const packed = makeTemporaryDirectory('packed');
  // What npm does before it packs makes all anew, also what is up to date.
  const pack = by === 'npm' ? ['pack'] : ['pack', '--ignore-scripts'];
  if (by === 'links') await run(process.execPath, ['build.mjs'], { cwd: projectRoot, env: plainEnv() });
  await run('npm', [...pack, '--pack-destination', packed], { cwd: projectRoot, env: plainEnv() });
  const [name = ''] = readdirSync(packed);
  const tarball = join(packed, name);
  const { stdout } = await run('tar', ['-tzf', tarball]);
  writeFileSync(join(directory, 'package.json'), '{ "type": "module", "private": true }');
  await (by === 'npm' ? installByNpm : installWithLinks)(tarball, directory);
  return {
    directory,
    tarballBytes: statSync(tarball).size,
    files: stdout
      .trim()
      .split('\n')
      .map((path) => path.replace('package/', '')),
    async run(command, args, env = {}) {
      const { stdout: said } = await run(command, [...args], {
        cwd: directory,
        env: { ...plainEnv(), ...env },
      });
      return said;
    },
    write(file, text) {
      writeFileSync(join(directory, file), text);
    },
  };
}

async function installByNpm(tarball: string, directory: string): Promise<void> {
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', ...quietly, tarball], { cwd: directory, env: plainEnv() });
}

async function installWithLinks(tarball: string, directory: string): Promise<void> {
  const modules = join(directory, 'node_modules');
  const own = join(modules, 'perdure');
  mkdirSync(own, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', own, '--strip-components=1']);
  for (const name of productPackages()) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(projectRoot, 'node_modules', name), join(modules, name));
  }
  mkdirSync(join(modules, '.bin'));
  symlinkSync('../perdure/dist/cli/main.js', join(modules, '.bin', 'perdure'));
  symlinkSync('../tsx/dist/cli.mjs', join(modules, '.bin', 'tsx'));
}

/** What npm installs beside this package: nothing that only its developers need. */
function productPackages(): readonly string[] {
  const { packages } = JSON.parse(readProjectFile('package-lock.json')) as {
    packages: Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>;
  };
  return Object.entries(packages).flatMap(([path, { dev, devOptional }]) => {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    const isThere =
      name !== undefined && dev !== true && devOptional !== true && existsSync(join(projectRoot, path));
    return isThere ? [name] : [];
  });
}

/** `npx perdure` in the directory, which has shown all and stays up. */
export interface RunningQuickstart {
  readonly output: string;
  readonly home: string;
  stop(): Promise<void>;
}

/** Runs the installed quickstart until it has nothing more to show; throws, with its output, where it ends before. */
export async function runQuickstart(
  { directory }: InstalledPackage,
  env: NodeJS.ProcessEnv,
): Promise<RunningQuickstart> {
  const home = join(directory, 'home');
  mkdirSync(home);
  const child = spawn('npx', ['perdure'], {
    cwd: directory,
    env: {
      ...plainEnv(),
      PERDURE_HOME: home,
      PORT: '0',
      TEMPORAL_CLI: readTestState().temporal.binary,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = endOf(child);
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    await ended;
  };
  const isOver = (): boolean | undefined =>
    output.includes('Talk to the agent:') || (child.exitCode === null ? undefined : false);
  if ((await waitFor(isOver, { timeoutMs: patienceMs })) === true) return { output, home, stop };
  await stop();
  throw new Error(`The quickstart does not come to its end:\n${output}`);
}

/** Nothing of the developer's settings, and nothing of the npm that runs the tests. */
function plainEnv(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_(lifecycle|package)_/.test(name));
  const unset = Object.keys(variables.shape).map((name): [string, string] => [name, '']);
  return { ...Object.fromEntries(inherited), ...Object.fromEntries(unset), NO_COLOR: '1', NODE_OPTIONS: '' };
}
