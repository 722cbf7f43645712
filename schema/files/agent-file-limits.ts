import { fileLimits, type FileLimits } from '../../core/files/windows.js';
import { requireAgent } from '../agents/agents.js';
import { openNewFiles } from './agent-files.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';

/** Opens an ingested file for the agents of its source, except those that opened or closed it before. */
export async function openForItsAgents(db: Db, fileId: string, describe: DescribeModel): Promise<void> {
  const rows = await db
    .selectFrom('agent_sources')
    .innerJoin('files', 'files.source_id', 'agent_sources.source_id')
    .innerJoin('agents', 'agents.id', 'agent_sources.agent_id')
    .select('agent_sources.agent_id as agentId')
    .where('files.id', '=', fileId)
    .where('agents.deleted_at', 'is', null)
    .execute();
  for (const { agentId } of rows) {
    await inTransaction(db, async (tx) => {
      await openNewFiles(tx, agentId, await agentFileLimits(tx, agentId, describe));
    });
  }
}

type DescribeModel = (handle: string) => { readonly contextWindow: number };

/**
 * How many files an agent may open and how much of each it sees: the agent's own setting, else by its context window.
 * Throws AgentNotFoundError, and what `describe` throws.
 */
export async function agentFileLimits(
  db: Db | Tx,
  agentId: string,
  describe: DescribeModel,
): Promise<FileLimits> {
  const agent = await requireAgent(db, agentId);
  const usual = fileLimits(agent.contextWindow ?? describe(agent.model).contextWindow);
  const { max_files_open: files, per_file_view_window_char_limit: characters } = agent.extras;
  return {
    files: typeof files === 'number' && files > 0 ? files : usual.files,
    characters: typeof characters === 'number' && characters > 0 ? characters : usual.characters,
  };
}
