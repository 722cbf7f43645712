import { openNewFiles } from '../../schema/files/agent-files.js';
import { agentFileLimits } from '../../schema/files/agent-file-limits.js';
import type { Tx } from '../../schema/db/database.js';
import type { ServerDeps } from '../deps.js';

/** Opens the files of an agent's new sources, as many as may be open, as Letta does. */
export async function openSourceFiles({ models }: ServerDeps, tx: Tx, agentId: string): Promise<void> {
  await openNewFiles(tx, agentId, await agentFileLimits(tx, agentId, (handle) => models.describe(handle)));
}
