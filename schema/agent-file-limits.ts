import { fileLimits, type FileLimits } from '../core/file-windows.js';
import { requireAgent } from './agents.js';
import type { Db, Tx } from './database.js';

/**
 * How many files an agent may have open, and how much of each it sees: as its maker set it, else by its context window.
 * Throws AgentNotFoundError, and what `describe` throws.
 */
export async function agentFileLimits(
  db: Db | Tx,
  agentId: string,
  describe: (handle: string) => { readonly contextWindow: number },
): Promise<FileLimits> {
  const agent = await requireAgent(db, agentId);
  const usual = fileLimits(agent.contextWindow ?? describe(agent.model).contextWindow);
  const { max_files_open: files, per_file_view_window_char_limit: characters } = agent.extras;
  return {
    files: typeof files === 'number' && files > 0 ? files : usual.files,
    characters: typeof characters === 'number' && characters > 0 ? characters : usual.characters,
  };
}
