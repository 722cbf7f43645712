import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Resident memory of a process in MiB; NaN if it has ended. Linux only. */
export function residentMiB(pid = 0): number {
  try {
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kib) / 1_024;
  } catch {
    return NaN;
  }
}

/** Resident memory of processes by name, in MiB, after it changed by at most 1 % for two seconds. */
export async function settledMiB<Name extends string>(
  pids: Readonly<Record<Name, number | undefined>>,
): Promise<Readonly<Record<Name, number>>> {
  const read = (): Record<Name, number> => {
    const entries = Object.entries<number | undefined>(pids).map(([name, pid]) => [name, residentMiB(pid)]);
    return Object.fromEntries(entries) as Record<Name, number>;
  };
  const names = Object.keys(pids) as Name[];
  let last = read();
  // A process that does not settle in 20 s is measured as it is.
  for (let calm = 0, asked = 0; calm < 4 && asked < 40; asked += 1) {
    await delay(500);
    const now = read();
    calm = names.every((name) => Math.abs(now[name] - last[name]) <= last[name] / 100) ? calm + 1 : 0;
    last = now;
  }
  return last;
}
