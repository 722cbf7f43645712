import { readdir, readFile } from 'node:fs/promises';

/**
 * An environment variable that a server and all its child processes inherit. Its value is unique to the connection.
 */
export const markVariable = 'PERDURE_MCP_CONNECTION';

/** How often to look for processes: one that is just being created is found the next time. */
const mostRounds = 20;

/**
 * Ends every process that carries the mark, even one that left its group and its parents (a daemon). Does nothing
 * without /proc, nor to a process that removed the mark: a command that the user allows is not an attacker.
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
    // It has ended, or belongs to somebody else.
    return false;
  }
}

function endOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended, or became another user's and may not be ended.
  }
}
