import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Limits } from './limits.js';
import { type Launcher, type SandboxedCommand, SandboxError } from './sandbox.js';
import { seccompFilter } from './seccomp.js';
import { startGuard } from './start-guard.js';

/** Name resolution uses this file only: there is no DNS server. */
const hosts = '127.0.0.1 localhost\n';

/** The socket's path within the sandbox. */
export const innerSocket = '/api.sock';

/** Users without an account. Each run gets its own, so that concurrent runs can't signal or count each other. */
const firstUser = 200_000;
const lastUser = 1_200_000;

/**
 * Programs in namespaces of their own (bubblewrap, Linux). They see the system's programs, read-only, and their own
 * files; only a loopback network, no other process, no device. They run as nobody, without capabilities and without
 * the system calls that `seccomp.ts` refuses, and end with this process. As root no user namespace is used:
 * bubblewrap can create the others, and a user without an account then counts the run's own processes only.
 */
export function bubblewrap(): Launcher {
  return {
    isolation: 'bubblewrap',
    launch: (program, limits) => ({
      command: [
        ...(['bwrap', ...systemMounts(limits), ...ownMounts(program)] as const),
        ...['--seccomp', String(filterDescriptor), ...boundaries()],
        ...startGuard(limits.openFiles),
        ...program.command,
      ],
      directory: '/',
      extraInputs: { [hostsDescriptor]: hosts, [filterDescriptor]: requireFilter() },
      hasOwnFiles: true,
      end: () => undefined,
    }),
  };
}

const hostsDescriptor = 4;
const filterDescriptor = 6;

function requireFilter(): Buffer {
  const filter = seccompFilter();
  if (filter !== undefined) return filter;
  throw new SandboxError(`no filter of system calls is known for ${process.arch} processors`);
}

function systemMounts(limits: Limits): string[] {
  return [
    ...['--ro-bind', '/usr', '/usr'],
    ...['/bin', '/sbin', '/lib', '/lib32', '/lib64'].flatMap(systemDirectory),
    // bubblewrap creates parent directories without access for others, so they are created first.
    ...['--perms', '0755', '--dir', '/etc'],
    ...['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime'].flatMap((path) => [
      '--ro-bind-try',
      path,
      path,
    ]),
    ...['--perms', '0644', '--ro-bind-data', String(hostsDescriptor), '/etc/hosts'],
    ...['--proc', '/proc', '--dev', '/dev'],
    // Limited, because files on these file systems take memory.
    ...['--size', String(limits.diskBytes / 4), '--perms', '1777', '--tmpfs', '/dev/shm'],
    ...['--size', String(limits.diskBytes), '--perms', '1777', '--tmpfs', '/tmp'],
  ];
}

/** A directory next to /usr. On most systems it is a link into /usr. */
function systemDirectory(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  return stat.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

function ownMounts({ readable, socket }: SandboxedCommand): string[] {
  const paths = readable.filter((path) => path !== '/usr' && !path.startsWith('/usr/'));
  const parents = new Set(paths.flatMap(parentsOf));
  return [
    ...[...parents].flatMap((path) => ['--perms', '0755', '--dir', path]),
    ...paths.flatMap((path) => ['--ro-bind', path, path]),
    ...(socket === undefined ? [] : ['--ro-bind', socket, innerSocket]),
  ];
}

/** The directories above a path, the highest first. */
function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === '/' || parent === path ? [] : [...parentsOf(parent), parent];
}

function boundaries(): string[] {
  const common = [
    // Everything mounted on it stays writable or not as before.
    ...[
      '--remount-ro',
      '/dev',
      '--remount-ro',
      '/',
      '--chdir',
      '/tmp',
      '--die-with-parent',
      '--new-session',
      '--cap-drop',
      'ALL',
    ],
    ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ];
  if (process.getuid?.() !== 0)
    return [...common, '--unshare-user', ...noFurtherUsers(), '--uid', '65534', '--gid', '65534', '--'];
  const user = String(randomInt(firstUser, lastUser));
  return [
    ...common,
    ...['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((capability) => ['--cap-add', capability]),
    ...['--', 'setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--bounding-set=-all'],
    ...['--inh-caps=-all', '--no-new-privs', '--'],
  ];
}

let bubblewrapHelp: string | undefined;

/** From bubblewrap 0.8 on, not only the filter but also the kernel refuses further user namespaces. */
function noFurtherUsers(): string[] {
  // The types omit that it is null without bubblewrap.
  const { stdout } = spawnSync('bwrap', ['--help'], { encoding: 'utf8' }) as { stdout: string | null };
  bubblewrapHelp ??= stdout ?? '';
  return bubblewrapHelp.includes('--disable-userns') ? ['--disable-userns'] : [];
}
