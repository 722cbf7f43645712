import { readdirSync, readFileSync } from 'node:fs';

/** A clock tick of /proc in ms. Linux reports hundredths of a second, whatever the kernel counts in. */
const tickMs = 10;

/** CPU time in ms that each process and its children have used so far, by name. Empty without /proc. */
export function cpuTimes(pids: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const stats = readStats();
  if (stats.length === 0) return {};
  const used = (pid: number): number =>
    stats.filter((stat) => stat.pid === pid || stat.parent === pid).reduce((sum, stat) => sum + stat.ms, 0);
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, used(pid)]));
}

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly ms: number;
}

function readStats(): Stat[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readStat(Number(name)) : []));
  } catch {
    return [];
  }
}

function readStat(pid: number): Stat[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    // Own and waited-for children's time in user and kernel mode: proc_pid_stat(5).
    const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0);
    return [{ pid, parent: fields[1] ?? 0, ms: ticks * tickMs }];
  } catch {
    // It has ended since the directory was read.
    return [];
  }
}
