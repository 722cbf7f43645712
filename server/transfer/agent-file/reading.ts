import { baseInstructions } from '../../../core/threads/prompts.js';
import { loopStyle } from '../../../core/agents/agents.js';
import { codePoints, defaultBlockLimit } from '../../../core/blocks/operations.js';
import type {
  Transfer,
  TransferredAgent,
  TransferredArchive,
  TransferredBlock,
  TransferredGroup,
  TransferredPassage,
  TransferredSource,
  TransferredThread,
} from '../../../core/transfer/transfer.js';
import { isTimezone } from '../../../core/times.js';
import { keptAgentFields } from '../../agents/agent-requests-wire.js';
import { fromCreateBlock } from '../../blocks/blocks-wire.js';
import { withoutNulls, without } from '../../http/fields-wire.js';
import { fromManager } from '../../groups/groups-wire.js';
import {
  fromModelSettings,
  handleOfEmbeddingConfig,
  handleOfLlmConfig,
} from '../../models/model-configs-wire.js';
import { fromWireToolRule } from '../../agents/tool-rules-wire.js';
import { AgentFileError } from './agent-file-error.js';
import type { AgentDocument, AgentEntry } from './document.js';
import type { PerdurePart } from './perdure-part.js';
import { refuseDangling, refuseDuplicateFiles } from './file-checks.js';
import { fromToolEntry } from './tool-reading.js';
import { readThread } from './transcript-reading.js';

/** Default size of a source's passages, in tokens. */
const chunkSize = 300;

/**
 * Reads an agent file. Messages without a time get `now`. Throws AgentFileError where the file refers to something that
 * is not in it, or lacks something that has no default.
 */
export function fromAgentFile(document: AgentDocument, now: Date): Transfer {
  const { perdure: part } = document;
  const inline = document.agents.flatMap((agent) => inlineBlocks(agent));
  const files = bySource(document.files);
  const transfer: Transfer = {
    agents: document.agents.map((agent) => readAgent(agent, part, now)),
    blocks: [...document.blocks.map(readBlock), ...inline],
    tools: document.tools.map((tool) => fromToolEntry(tool, part?.tools[tool.id]?.client_generation)),
    archives: (part?.archives ?? []).map(readArchive),
    sources: document.sources.map((source) => readSource(source, files.get(source.id) ?? [], part)),
    groups: document.groups.map((group) => readGroup(group, part)),
  };
  refuseDangling(transfer);
  refuseDuplicateFiles(transfer);
  return transfer;
}

/** Names of the files that are not imported: they have no text in the document, or no source. */
export function filesLeftOut({ files, sources }: AgentDocument): readonly string[] {
  const ids = new Set(sources.map((source) => source.id));
  return files
    .filter((file) => file.content == null || !ids.has(file.source_id))
    .map((file) => file.file_name ?? file.id);
}

function readAgent(entry: AgentEntry, whole: PerdurePart | undefined, now: Date): TransferredAgent {
  const part = whole?.agents[entry.id];
  const style = loopStyle(entry.agent_type);
  const instructions = entry.system ?? baseInstructions(entry.agent_type);
  const reader = { style, now, instructions, bodies: whole?.messages ?? {} };
  const attached = [...(entry.block_ids ?? []), ...inlineBlocks(entry).map((block) => block.id)];
  return {
    id: entry.id,
    name: entry.name,
    agentType: entry.agent_type,
    system: instructions,
    description: entry.description ?? null,
    metadata: entry.metadata ?? {},
    model: modelOf(entry),
    embedding: embeddingOf(entry),
    contextWindow: windowOf(entry, part),
    modelSettings: part?.model_settings ?? settingsOf(entry),
    toolRules: (entry.tool_rules ?? []).map(fromWireToolRule),
    tags: entry.tags ?? [],
    timezone: entry.timezone != null && isTimezone(entry.timezone) ? entry.timezone : 'UTC',
    extras: { ...part?.extras, ...extrasOf(entry) },
    blocks: attached.map((blockId) => {
      const { read_only: readOnly = false, notify = false } = part?.attachments[blockId] ?? {};
      return { blockId, readOnly, notify };
    }),
    toolIds: entry.tool_ids ?? [],
    archives: (part?.archives ?? []).map(({ id, is_owner: isOwner }) => ({ archiveId: id, isOwner })),
    pins: part?.pins ?? [],
    sourceIds: [...new Set([...(entry.source_ids ?? []), ...(entry.folder_ids ?? [])])],
    threads: [
      {
        ...threadOf(part?.thread),
        isDefault: true,
        ...readThread(entry.messages ?? [], entry.in_context_message_ids ?? [], reader),
      },
      ...(part?.conversations ?? []).map((conversation) => ({
        ...threadOf(conversation),
        ...readThread(conversation.messages, conversation.in_context_message_ids, reader),
      })),
    ],
  };
}

function threadOf(
  part: NonNullable<PerdurePart['agents'][string]['thread']> | undefined,
): Omit<TransferredThread, 'messages' | 'inContext'> {
  return {
    isDefault: false,
    extras: part?.extras ?? {},
    createdAt: part?.created_at ?? null,
    archivedAt: part?.archived_at ?? null,
    summaryBlockId: part?.summary_block_id ?? null,
  };
}

function modelOf(entry: AgentEntry): string {
  const handle = entry.model ?? (entry.llm_config == null ? undefined : handleOfLlmConfig(entry.llm_config));
  if (handle !== undefined) return handle;
  throw new AgentFileError(
    `The file has no model for ${entry.id} ('${entry.name}'). Import it with \`model\` set, or add a model to the file.`,
  );
}

function embeddingOf(entry: AgentEntry): string {
  const config = entry.embedding_config;
  return entry.embedding ?? (config == null ? undefined : handleOfEmbeddingConfig(config)) ?? '';
}

function windowOf(entry: AgentEntry, part: PerdurePart['agents'][string] | undefined): number | null {
  if (part !== undefined) return part.context_window;
  return entry.context_window_limit ?? entry.llm_config?.context_window ?? null;
}

function settingsOf(entry: AgentEntry) {
  return fromModelSettings({
    settings: entry.model_settings,
    llmConfig: entry.llm_config,
    maxTokens: entry.max_tokens,
    parallelToolCalls: entry.parallel_tool_calls,
    responseFormat: entry.response_format,
  });
}

function extrasOf(entry: AgentEntry): Record<string, unknown> {
  return keptAgentFields({
    ...without(entry, 'project_id', 'template_id', 'base_template_id'),
    secrets: variablesOf(entry.secrets),
    tool_exec_environment_variables: variablesOf(entry.tool_exec_environment_variables),
  });
}

function variablesOf(given: AgentEntry['secrets']): Record<string, string> | undefined {
  if (given == null || Object.keys(given).length === 0) return undefined;
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, value ?? '']));
}

/** Blocks inside an agent's entry, instead of in the list of blocks. */
function inlineBlocks(agent: AgentEntry): readonly TransferredBlock[] {
  return (agent.memory_blocks ?? []).map((block, index) =>
    readBlock({ ...block, id: `${agent.id} ${index}` }),
  );
}

function readBlock(entry: AgentDocument['blocks'][number]): TransferredBlock {
  const { extras = {}, metadata = {}, tags = [], readOnly = false } = fromCreateBlock(entry, '1');
  const limit = entry.limit ?? Math.max(defaultBlockLimit(entry.label, '1'), codePoints(entry.value));
  const { id, label, value, description = null } = entry;
  return { id, label, value, limit, description, readOnly, metadata, tags, extras };
}

function readArchive({ passages, ...archive }: PerdurePart['archives'][number]): TransferredArchive {
  return { ...archive, passages: passages.map(readPassage) };
}

function readPassage({
  created_at: createdAt,
  ...passage
}: PerdurePart['archives'][number]['passages'][number]): TransferredPassage {
  return { ...passage, createdAt };
}

function bySource(files: AgentDocument['files']): ReadonlyMap<string, AgentDocument['files']> {
  const grouped = new Map<string, AgentDocument['files']>();
  for (const file of files) {
    const group = grouped.get(file.source_id);
    if (group === undefined) grouped.set(file.source_id, [file]);
    else group.push(file);
  }
  return grouped;
}

function readSource(
  { id, name, embedding_chunk_size: size, ...entry }: AgentDocument['sources'][number],
  files: AgentDocument['files'],
  part: PerdurePart | undefined,
): TransferredSource {
  const own = part?.sources[id];
  const config = entry.embedding_config == null ? undefined : handleOfEmbeddingConfig(entry.embedding_config);
  return {
    id,
    name,
    description: entry.description ?? null,
    instructions: entry.instructions ?? null,
    metadata: entry.metadata ?? {},
    embedding: own?.embedding ?? entry.embedding ?? config ?? '',
    chunkSize: size ?? chunkSize,
    chunkOverlap: own?.chunk_overlap ?? Math.floor((size ?? chunkSize) / 10),
    files: files.flatMap((file) =>
      file.content == null
        ? []
        : [
            {
              name: file.file_name ?? file.id,
              originalName: file.original_file_name ?? file.file_name ?? file.id,
              mediaType: file.file_type ?? null,
              size: Math.floor(file.file_size ?? Buffer.byteLength(file.content)),
              text: file.content,
              passages: (part?.files[file.id]?.passages ?? []).map(readPassage),
            },
          ],
    ),
  };
}

function readGroup(entry: AgentDocument['groups'][number], whole: PerdurePart | undefined): TransferredGroup {
  const part = whole?.groups[entry.id];
  const manager = entry.manager_config ?? { manager_type: 'round_robin' as const };
  return {
    managerType: manager.manager_type,
    managerAgentId: manager.manager_agent_id ?? null,
    agentIds: [...new Set(entry.agent_ids)],
    description: entry.description ?? '',
    managerConfig: { ...part?.manager_config, ...fromManager(manager) },
    sharedBlockIds: entry.shared_block_ids ?? [],
    paused: part?.paused ?? false,
    extras: withoutNulls(part?.extras ?? {}),
  };
}
