import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** A control group by which the kernel limits the memory of a program and its children, including in-memory files. */
export interface MemoryGroup {
  /** Prefix of a program's command, which enters the group before the program starts. */
  readonly enter: readonly string[];
  /** Whether the kernel has killed one of its processes for lack of memory. */
  wasExceeded(): boolean;
  /** Removes the group after all its processes have ended. */
  end(): void;
}

export interface MemoryGroups {
  /** Undefined where no group can be created now. */
  make(limitBytes: number): MemoryGroup | undefined;
}

/** File names of the two versions of control groups. */
interface Names {
  /** Limits to write. The second is optional. */
  readonly limits: (bytes: number) => readonly (readonly [file: string, value: string])[];
  /** The file that counts processes killed for lack of memory, as `oom_kill <n>`. */
  readonly events: string;
}

const versions: Readonly<Record<'v1' | 'v2', Names>> = {
  v2: {
    limits: (bytes) => [
      ['memory.max', String(bytes)],
      ['memory.swap.max', '0'],
      ['memory.oom.group', '1'],
    ],
    events: 'memory.events',
  },
  v1: {
    limits: (bytes) => [
      ['memory.limit_in_bytes', String(bytes)],
      ['memory.memsw.limit_in_bytes', String(bytes)],
    ],
    events: 'memory.oom_control',
  },
};

const prefix = 'perdure-tool-';
let made = 0;

/**
 * The control group in which this process may create others, by `/proc/self`; undefined where it may write to none,
 * so that only the caller watches memory. For version 2 the nearest ancestor with the memory controller; for version
 * 1 this process's own.
 */
export function findMemoryGroups(proc = '/proc/self'): MemoryGroups | undefined {
  try {
    const place = placeV2(proc) ?? placeV1(proc);
    if (place === undefined) return undefined;
    removeLeftovers(place.directory);
    return { make: (limitBytes) => makeGroup(place, limitBytes) };
  } catch {
    // No Linux, or a /proc without this information.
    return undefined;
  }
}

interface Place {
  readonly directory: string;
  readonly names: Names;
}

function placeV2(proc: string): Place | undefined {
  const own = ownGroup(proc, (controllers) => controllers === '');
  const root = mountOf(proc, (type) => type === 'cgroup2');
  if (own === undefined || root === undefined) return undefined;
  for (let path = own; ; path = dirname(path)) {
    const directory = join(root, path);
    if (sharesMemory(directory)) return isWritable(directory) ? { directory, names: versions.v2 } : undefined;
    if (path === '/' || path === '.') return undefined;
  }
}

function placeV1(proc: string): Place | undefined {
  const hasMemory = (list: string) => list.split(',').includes('memory');
  const own = ownGroup(proc, hasMemory);
  const root = mountOf(proc, (type, options) => type === 'cgroup' && hasMemory(options));
  if (own === undefined || root === undefined) return undefined;
  const directory = join(root, own);
  return isWritable(directory) ? { directory, names: versions.v1 } : undefined;
}

/** Lines of /proc/self/cgroup are `<number>:<controllers>:<path>`. */
function ownGroup(proc: string, isIt: (controllers: string) => boolean): string | undefined {
  const lines = readFileSync(join(proc, 'cgroup'), 'utf8').split('\n');
  return lines
    .map((one) => /^\d+:([^:]*):(.*)$/.exec(one))
    .find((found) => found !== null && isIt(found[1] ?? ''))?.[2];
}

/** Lines of /proc/self/mountinfo are `… <mount point> … - <type> <source> <options>`. */
function mountOf(proc: string, isIt: (type: string, options: string) => boolean): string | undefined {
  for (const one of readFileSync(join(proc, 'mountinfo'), 'utf8').split('\n')) {
    const [before = '', after = ''] = one.split(' - ');
    const [type = '', , options = ''] = after.split(' ');
    if (isIt(type, options)) return before.split(' ')[4];
  }
  return undefined;
}

function sharesMemory(directory: string): boolean {
  return (read(join(directory, 'cgroup.subtree_control')) ?? '').split(/\s/).includes('memory');
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    accessSync(join(directory, 'cgroup.procs'), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function makeGroup({ directory, names }: Place, limitBytes: number): MemoryGroup | undefined {
  made += 1;
  const group = join(directory, `${prefix}${process.pid}-${made}`);
  const [[file, value] = ['', ''], ...others] = names.limits(limitBytes);
  try {
    mkdirSync(group);
    writeFileSync(join(group, file), value);
  } catch {
    removeSoon(group, 0);
    return undefined;
  }
  for (const [other, wanted] of others) writeIfThere(join(group, other), wanted);
  return {
    enter: ['/bin/sh', '-c', 'echo $$ >"$0/cgroup.procs" && exec "$@"', group],
    wasExceeded: () => Number(/^oom_kill (\d+)/m.exec(read(join(group, names.events)) ?? '')?.[1] ?? 0) > 0,
    end: () => {
      removeSoon(group);
    },
  };
}

/** The file for swap may be missing. */
function writeIfThere(file: string, value: string): void {
  try {
    accessSync(file, constants.W_OK);
    writeFileSync(file, value);
  } catch {
    // Then the limit excludes swap.
  }
}

const tries = 50;
const pauseMs = 20;

/** Killed processes stay in the group until the kernel has reaped them. */
function removeSoon(group: string, left = tries): void {
  try {
    rmdirSync(group);
  } catch (error) {
    const isBusy = (error as NodeJS.ErrnoException).code === 'EBUSY';
    if (isBusy && left > 0) setTimeout(removeSoon, pauseMs, group, left - 1).unref();
  }
}

/** Removes empty groups of killed processes. */
function removeLeftovers(directory: string): void {
  for (const name of readdirSync(directory).filter((one) => one.startsWith(prefix))) {
    const pid = Number(name.slice(prefix.length).split('-')[0]);
    if (!isAlive(pid)) removeSoon(join(directory, name), 0);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
