import type { PromptSources } from '../../core/threads/context.js';
import { loadDirectories } from '../files/agent-files.js';
import type { Db, Tx } from '../db/database.js';
import { countMemory } from './epochs.js';
import { readSummary } from './evictions.js';
import { type LoopAgent, loadPrefixBlocks, type PrefixBlock } from './loop-agent.js';
import { listPins } from '../archives/pins.js';
import type { Thread } from './threads.js';

/** All that a thread's prompt is compiled from, as it is now, except the time. */
export async function loadPromptSources(
  db: Db | Tx,
  thread: Thread,
  agent: LoopAgent,
): Promise<Omit<PromptSources, 'compiledAt'> & { readonly blocks: readonly PrefixBlock[] }> {
  const [blocks, pins, directories, figures, summary] = await Promise.all([
    loadPrefixBlocks(db, agent.id),
    listPins(db, agent.id),
    agent.filesMark === null ? null : loadDirectories(db, agent.id),
    countMemory(db, thread),
    readSummary(db, thread),
  ]);
  return {
    agentId: agent.id,
    threadId: thread.id,
    instructions: agent.system,
    blocks,
    pins,
    directories,
    figures,
    toolRules: agent.toolRules,
    summary: summary === '' ? null : summary,
    timezone: agent.timezone,
  };
}
