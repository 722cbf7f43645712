import { readdir, readFile } from 'node:fs/promises';

/** In the environment of a server and of all that it starts, which inherit it; the value is its connection's own. */
export const markVariable = 'PERDURE_MCP_CONNECTION';

/** Processes are looked for so often: one that is just being made is found the next time. */
const mostRounds = 20;

/**
 * Ends every process that carries the mark, also one that has left its group and its parents (a daemon). Does nothing where the
 * system has no /proc, and to a process that has taken the mark off: a command that the user lets run is no attacker.
 */
export async function endMarked(mark: string): Promise<void> {
  for (let round = 0; round < mostRounds; round += 1) {
    const found = await findMarked(mark);
    if (found.length === 0) return;
    for (const pid of found) endOne(pid);
  }
}

async function findMarked(mark: string): Promise<readonly number[]> {
  const entries = await readdir('/proc').catch(() => []);
  const pids = entries.filter((entry) => /^\d+$/.test(entry)).map(Number);
  const isMarked = await Promise.all(pids.map((pid) => carries(pid, mark)));
  return pids.filter((pid, index) => isMarked[index] === true && pid !== process.pid);
}

async function carries(pid: number, mark: string): Promise<boolean> {
  try {
    const variables = (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0');
    return variables.includes(`${markVariable}=${mark}`);
  } catch {
    // It has ended, or is somebody else's.
    return false;
  }
}

function endOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile, or may not be ended: it has become another user's.
  }
}
