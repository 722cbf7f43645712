import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot, readProjectFile } from './house/project-files.js';
import { plainEnvironment } from './plain-environment.js';
import { makeTemporaryDirectory } from './runtime/temporary.js';

const run = promisify(execFile);

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
  if (by === 'links')
    await run(process.execPath, ['build.mjs'], { cwd: projectRoot, env: plainEnvironment() });
  await run('npm', [...pack, '--pack-destination', packed], { cwd: projectRoot, env: plainEnvironment() });
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
        env: { ...plainEnvironment(), ...env },
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
  await run('npm', ['install', ...quietly, tarball], { cwd: directory, env: plainEnvironment() });
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
