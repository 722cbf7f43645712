import { builtinOf } from '../../core/tools/tools.js';
import { extensionToolType } from '../../schema/tools/extension-tools.js';
import type { ActivityDeps } from '../deps.js';
import { askAgentsByTags, askAgentsOfGroup, askOneAgent, tellOneAgent } from './agents.js';
import { archivalMemoryInsert, archivalMemorySearch } from './archival.js';
import {
  coreMemoryAppend,
  coreMemoryReplace,
  memoryInsert,
  memoryReplace,
  memoryRethink,
} from './core-memory.js';
import { closeFile, grepFiles, openFiles, searchFiles } from './files.js';
import { extensionTools } from './extension-tools.js';
import { memory, memoryApplyPatch } from './memory.js';
import { done, type ToolImplementation } from './outcome.js';
import { archivalMemoryPin, archivalMemoryUnpin } from './pins.js';
import { conversationSearch } from './recall.js';
import { runCode, runCodeWithTools } from './run-code.js';
import { recall } from './unified-recall.js';
import { rethinkUserMemory, searchMemory, storeMemories } from './voice.js';
import { fetchWebpage, webSearch } from './web.js';

/** The implementations of built-in tools and of extensions' tools, by name. */
export function createToolImplementations(
  deps: Pick<
    ActivityDeps,
    | 'db'
    | 'vault'
    | 'archival'
    | 'embeddings'
    | 'models'
    | 'vectors'
    | 'waker'
    | 'replyTimeoutMs'
    | 'web'
    | 'tools'
    | 'toolTimeoutMs'
    | 'extensions'
  >,
): ReadonlyMap<string, ToolImplementation> {
  const { db, archival, vectors } = deps;
  return new Map<string, ToolImplementation>([
    ['send_message', saying('Sent message successfully.')],
    ['memory_finish_edits', saying('Edits finished.')],
    ['core_memory_append', coreMemoryAppend],
    ['core_memory_replace', coreMemoryReplace],
    ['memory_insert', memoryInsert],
    ['memory_replace', memoryReplace],
    ['memory_rethink', memoryRethink],
    ['memory', memory],
    ['memory_apply_patch', memoryApplyPatch],
    ['rethink_user_memory', rethinkUserMemory],
    ['finish_rethinking_memory', saying('Edits finished.')],
    ['store_memories', storeMemories(deps)],
    ['search_memory', searchMemory(deps)],
    ['archival_memory_insert', archivalMemoryInsert(archival)],
    ['archival_memory_search', archivalMemorySearch(deps)],
    ['archival_memory_pin', archivalMemoryPin],
    ['archival_memory_unpin', archivalMemoryUnpin],
    ['conversation_search', conversationSearch({ db, vectors })],
    ['recall', recall(deps)],
    ['open_files', openFiles(deps)],
    ['open_file', openFiles(deps)],
    ['close_file', closeFile],
    ['grep_files', grepFiles(deps)],
    ['grep_file', grepFiles(deps)],
    ['semantic_search_files', searchFiles(deps)],
    ['search_file', searchFiles(deps)],
    ['conversation_search_date', conversationSearch({ db, vectors })],
    ['run_code', runCode(deps)],
    ['run_code_with_tools', runCodeWithTools(deps)],
    ['send_message_to_agent_and_wait_for_reply', askOneAgent(deps)],
    ['send_message_to_agent_async', tellOneAgent(deps)],
    ['send_message_to_agents_matching_tags', askAgentsByTags(deps)],
    ['send_message_to_all_agents_in_group', askAgentsOfGroup(deps)],
    ['web_search', webSearch(deps.web)],
    ['fetch_webpage', fetchWebpage(deps.web)],
    ...extensionTools(deps.extensions),
  ]);
}

/**
 * The implementation of an agent's tool; undefined where it runs elsewhere, where a user's own tool has the name of
 * one here, and where the agent no longer has it (`toolType` null), because what it had by that name is unknown.
 */
export function implementationOf(
  implementations: ReadonlyMap<string, ToolImplementation>,
  { name, toolType }: { readonly name: string; readonly toolType: string | null },
): ToolImplementation | undefined {
  if (toolType === null) return undefined;
  const isOurs = builtinOf({ name, toolType }) !== undefined || toolType === extensionToolType;
  return isOurs ? implementations.get(name) : undefined;
}

/** A tool whose only effect is its call, which the transcript already holds. */
function saying(message: string): ToolImplementation {
  return { kind: 'transactional', run: () => Promise.resolve(done(message)) };
}
