import { baseInstructions } from '../../../core/prompts.js';
import { loopStyle } from '../../../core/agents.js';
import { codePoints, defaultBlockLimit } from '../../../core/block-operations.js';
import type {
  Bundle,
  BundledAgent,
  BundledArchive,
  BundledBlock,
  BundledGroup,
  BundledPassage,
  BundledSource,
  BundledThread,
} from '../../../core/bundle.js';
import { isTimezone } from '../../../core/times.js';
import { keptAgentFields } from '../agent-requests.js';
import { fromCreateBlock } from '../blocks.js';
import { present, without } from '../fields.js';
import { fromManager } from '../groups.js';
import { fromModelSettings, handleOfEmbeddingConfig, handleOfLlmConfig } from '../model-configs.js';
import { fromWireToolRule } from '../tool-rules.js';
import { AgentFileError } from './agent-file-error.js';
import type { AgentDocument, AgentEntry } from './document.js';
import type { PerdurePart } from './perdure-part.js';
import { fromToolEntry } from './tool-reading.js';
import { readThread } from './transcript-reading.js';

/** Tokens of a passage of a source that says nothing of it. */
const chunkSize = 300;

/**
 * What an agent file says. Messages that say nothing of their time are from `now`. Throws AgentFileError where it names
 * what is not in it, or leaves out what nobody can make up.
 */
export function fromAgentFile(document: AgentDocument, now: Date): Bundle {
  const { perdure: part } = document;
  const inline = document.agents.flatMap((agent) => inlineBlocks(agent));
  const bundle: Bundle = {
    agents: document.agents.map((agent) => readAgent(agent, part, now)),
    blocks: [...document.blocks.map(readBlock), ...inline],
    tools: document.tools.map((tool) => fromToolEntry(tool, part?.tools[tool.id]?.client_generation)),
    archives: (part?.archives ?? []).map(readArchive),
    sources: document.sources.map((source) => readSource(source, document)),
    groups: document.groups.map((group) => readGroup(group, part)),
  };
  refuseDangling(bundle);
  refuseTwins(bundle);
  return bundle;
}

function readAgent(entry: AgentEntry, whole: PerdurePart | undefined, now: Date): BundledAgent {
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
): Omit<BundledThread, 'messages' | 'inContext'> {
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
    `The file names no model for ${entry.id} ('${entry.name}'). Import it with \`model\` set, or give it one there.`,
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

/** Blocks that stand in an agent instead of being named by it. */
function inlineBlocks(agent: AgentEntry): readonly BundledBlock[] {
  return (agent.memory_blocks ?? []).map((block, index) =>
    readBlock({ ...block, id: `${agent.id} ${index}` }),
  );
}

function readBlock(entry: AgentDocument['blocks'][number]): BundledBlock {
  const { extras = {}, metadata = {}, tags = [], readOnly = false } = fromCreateBlock(entry, '1');
  const limit = entry.limit ?? Math.max(defaultBlockLimit(entry.label, '1'), codePoints(entry.value));
  const { id, label, value, description = null } = entry;
  return { id, label, value, limit, description, readOnly, metadata, tags, extras };
}

function readArchive({ passages, ...archive }: PerdurePart['archives'][number]): BundledArchive {
  return { ...archive, passages: passages.map(readPassage) };
}

function readPassage({
  created_at: createdAt,
  ...passage
}: PerdurePart['archives'][number]['passages'][number]): BundledPassage {
  return { ...passage, createdAt };
}

function readSource(
  { id, name, embedding_chunk_size: size, ...entry }: AgentDocument['sources'][number],
  { files, perdure: part }: AgentDocument,
): BundledSource {
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
      file.source_id !== id || file.content == null
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

function readGroup(entry: AgentDocument['groups'][number], whole: PerdurePart | undefined): BundledGroup {
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
    extras: present(part?.extras ?? {}),
  };
}

/** Refuses a file in which something is named that is not in it, or twice. */
function refuseDangling(bundle: Bundle): void {
  const { agents, groups } = bundle;
  const threads = agents.flatMap((agent) => agent.threads);
  refuse(
    'agents',
    bundle.agents,
    groups.flatMap(({ agentIds, managerAgentId }) =>
      managerAgentId === null ? agentIds : [...agentIds, managerAgentId],
    ),
  );
  refuse('blocks', bundle.blocks, [
    ...agents.flatMap((agent) => agent.blocks.map((block) => block.blockId)),
    ...threads.flatMap((thread) => thread.summaryBlockId ?? []),
    ...groups.flatMap((group) => group.sharedBlockIds),
  ]);
  refuse(
    'tools',
    bundle.tools,
    agents.flatMap((agent) => agent.toolIds),
  );
  refuse(
    'sources',
    bundle.sources,
    agents.flatMap((agent) => agent.sourceIds),
  );
  refuse(
    'perdure.archives',
    bundle.archives,
    agents.flatMap((agent) => agent.archives.map((one) => one.archiveId)),
  );
  const passages = [
    ...bundle.archives.flatMap((archive) => archive.passages),
    ...bundle.sources.flatMap((source) => source.files.flatMap((file) => file.passages)),
  ];
  refuse(
    'perdure',
    passages.flatMap(({ id }) => (id === null ? [] : [{ id }])),
    agents.flatMap((agent) => agent.pins),
  );
}

function refuseTwins({ sources }: Bundle): void {
  for (const { name, files } of sources) {
    const names = files.map((file) => file.name);
    const twin = names.find((one, index) => names.indexOf(one) !== index);
    if (twin !== undefined) {
      throw new AgentFileError(
        `The file's source '${name}' has two files named '${twin}'. Give one of them another name.`,
      );
    }
  }
}

function refuse(member: string, found: readonly { readonly id: string }[], named: readonly string[]): void {
  const ids = new Set(found.map(({ id }) => id));
  const twice = found.find(({ id }, index) => found.findIndex((one) => one.id === id) !== index);
  if (twice !== undefined)
    throw new AgentFileError(
      `The file has ${twice.id} twice in \`${member}\`. Give each thing an id of its own.`,
    );
  const missing = named.find((id) => !ids.has(id));
  if (missing !== undefined) {
    throw new AgentFileError(
      `The file names ${missing}, which is not in its \`${member}\`. Add it, or take its name out.`,
    );
  }
}
