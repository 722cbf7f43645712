import type {
  Transfer,
  TransferredAgent,
  TransferredGroup,
  TransferredPassage,
  TransferredThread,
} from '../../../core/transfer/transfer.js';
import type { EmbeddingDescription, ModelDescription } from '../../../core/models/model.js';
import { keptAgentExtras } from '../../agents/agent-requests-wire.js';
import { withoutNulls } from '../../http/fields-wire.js';
import { toEmbeddingConfig, toLlmConfig, toModelSettings } from '../../models/model-configs-wire.js';
import { toWireToolRule } from '../../agents/tool-rules-wire.js';
import { createFileNames, type FileNames } from './entry-names.js';
import { toFileBlock, toFileGroup, toFileSource, toFileTool, toSourceFile } from './entry-writing.js';
import { partVersion } from './perdure-part.js';
import { type TranscriptWriter, writeDefaultThread, writeThread } from './transcript-writing.js';
import { toFileVector } from './vectors.js';

/** Descriptions of models by handle, for readers that need a model's whole configuration. */
export interface Described {
  readonly model: (handle: string) => ModelDescription;
  readonly embedding: (handle: string) => EmbeddingDescription;
}

/**
 * Writes a transfer as an agent file: in Letta's newer form, with everything that this has no field for under `perdure`.
 * Values of environment variables are left out. Copies of an agent give equal files, apart from `created_at`.
 */
export function toAgentFile(transfer: Transfer, described: Described, now: Date): Record<string, unknown> {
  const names = createFileNames();
  // Ids are given in this order, before any entry refers to another.
  for (const { id } of transfer.agents) names.name('agent', id);
  for (const { id } of transfer.blocks) names.name('block', id);
  for (const { id } of transfer.archives) names.name('archive', id);
  for (const id of transfer.agents.flatMap((agent) => agent.pins)) names.name('passage', id);
  const pen: TranscriptWriter = { names, bodies: {} };
  const groups = transfer.groups.map((group) => ({ id: names.next('group'), group }));
  const written = transfer.agents.map((agent) => writeAgent(pen, agent, { described, groups }));
  const files = transfer.sources.flatMap((source) =>
    source.files.map((file) => ({ id: names.next('file'), sourceId: names.name('source', source.id), file })),
  );
  return {
    agents: written.map((one) => one.agent),
    groups: groups.map(({ id, group }) => toFileGroup(id, group, names)),
    blocks: transfer.blocks.map((block) => toFileBlock(names.name('block', block.id), block)),
    files: files.map(toSourceFile),
    sources: transfer.sources.map((source) =>
      toFileSource(names.name('source', source.id), source, described.embedding(source.embedding)),
    ),
    tools: transfer.tools.map((tool) => toFileTool(names.name('tool', tool.id), tool)),
    mcp_servers: [],
    skills: [],
    metadata: { written_by: 'perdure' },
    created_at: now.toISOString(),
    perdure: {
      version: partVersion,
      agents: Object.fromEntries(written.map((one) => [one.agent.id, one.part])),
      tools: Object.fromEntries(
        transfer.tools.flatMap(({ id, runtime: { clientGeneration: generation } }) =>
          generation === undefined ? [] : [[names.name('tool', id), { client_generation: generation }]],
        ),
      ),
      archives: transfer.archives.map(({ id, passages, ...archive }) => ({
        id: names.name('archive', id),
        name: archive.name,
        description: archive.description,
        embedding: archive.embedding,
        metadata: archive.metadata,
        passages: passages.map((passage) => toFilePassage(passage, names)),
      })),
      sources: Object.fromEntries(
        transfer.sources.map(({ id, embedding, chunkOverlap }) => [
          names.name('source', id),
          { embedding, chunk_overlap: chunkOverlap },
        ]),
      ),
      files: Object.fromEntries(
        files.map(({ id, file }) => [
          id,
          { passages: file.passages.map((passage) => toFilePassage(passage, names)) },
        ]),
      ),
      groups: Object.fromEntries(
        groups.map(({ id, group: { managerConfig, paused, extras } }) => [
          id,
          { manager_config: managerConfig, paused, extras },
        ]),
      ),
      messages: pen.bodies,
    },
  };
}

function toFilePassage(
  { id, text, tags, metadata, embedding, createdAt }: TransferredPassage,
  names: FileNames,
) {
  const name = id === null ? undefined : names.known('passage', id);
  return {
    ...(name === undefined ? {} : { id: name }),
    text,
    tags,
    metadata,
    created_at: createdAt,
    embedding: embedding === null ? null : { model: embedding.model, vector: toFileVector(embedding.vector) },
  };
}

interface Around {
  readonly described: Described;
  readonly groups: readonly { readonly id: string; readonly group: TransferredGroup }[];
}

function writeAgent(pen: TranscriptWriter, agent: TransferredAgent, around: Around) {
  const { names } = pen;
  const thread = agent.threads.find((one) => one.isDefault);
  const transcript = writeDefaultThread(pen, agent, thread);
  const extras = portableExtras(agent.extras);
  const part = {
    context_window: agent.contextWindow,
    model_settings: agent.modelSettings,
    extras,
    attachments: Object.fromEntries(
      agent.blocks
        .filter((block) => block.readOnly || block.notify)
        .map(({ blockId, readOnly, notify }) => [
          names.name('block', blockId),
          { read_only: readOnly, notify },
        ]),
    ),
    archives: agent.archives.map(({ archiveId, isOwner }) => ({
      id: names.name('archive', archiveId),
      is_owner: isOwner,
    })),
    pins: agent.pins.map((pin) => names.name('passage', pin)),
    ...(thread === undefined ? {} : { thread: { ...threadPart(pen, thread), created_at: null } }),
    conversations: agent.threads
      .filter((one) => !one.isDefault)
      .map((one) => ({ ...threadPart(pen, one), ...writeThread(pen, agent, one) })),
  };
  return { agent: { ...agentEntry(pen, agent, around), ...transcript }, part };
}

function threadPart({ names }: TranscriptWriter, thread: TransferredThread) {
  return {
    extras: thread.extras,
    created_at: thread.createdAt?.toISOString() ?? null,
    archived_at: thread.archivedAt?.toISOString() ?? null,
    summary_block_id: thread.summaryBlockId === null ? null : names.name('block', thread.summaryBlockId),
  };
}

function agentEntry({ names }: TranscriptWriter, agent: TransferredAgent, { described, groups }: Around) {
  const model = described.model(agent.model);
  const { data: kept = {} } = keptAgentExtras.safeParse(portableExtras(agent.extras));
  return {
    id: names.name('agent', agent.id),
    name: agent.name,
    agent_type: agent.agentType,
    system: agent.system,
    description: agent.description,
    metadata: agent.metadata,
    tags: agent.tags,
    timezone: agent.timezone,
    model: agent.model,
    embedding: agent.embedding,
    // Without addresses, which belong to this server and not to the agent.
    llm_config: {
      ...toLlmConfig(model, agent.modelSettings, agent.contextWindow ?? model.contextWindow),
      model_endpoint: null,
    },
    embedding_config: {
      ...toEmbeddingConfig(described.embedding(agent.embedding)),
      embedding_endpoint: null,
    },
    model_settings: toModelSettings(model, agent.modelSettings),
    context_window_limit: agent.contextWindow,
    response_format: agent.modelSettings.responseFormat ?? null,
    tool_rules: agent.toolRules.map(toWireToolRule),
    block_ids: agent.blocks.map((block) => names.name('block', block.blockId)),
    tool_ids: agent.toolIds.map((tool) => names.name('tool', tool)),
    source_ids: agent.sourceIds.map((source) => names.name('source', source)),
    folder_ids: null,
    identity_ids: null,
    memory_blocks: [],
    tools: [],
    include_base_tools: false,
    include_multi_agent_tools: false,
    include_base_tool_rules: false,
    include_default_source: false,
    enable_sleeptime: false,
    ...withoutNulls(kept),
    files_agents: [],
    group_ids: groups.filter(({ group }) => group.managerAgentId === agent.id).map(({ id }) => id),
  };
}

/** Fields that belong to a server and not to the agent. */
const serversOwn = new Set(['project_id', 'template_id', 'base_template_id']);

/** The agent's extra fields, without those of the server and without values of variables. */
function portableExtras(extras: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { data: { secrets, tool_exec_environment_variables: variables } = {} } =
    keptAgentExtras.safeParse(extras);
  return withoutNulls({
    ...Object.fromEntries(Object.entries(extras).filter(([key]) => !serversOwn.has(key))),
    secrets: withoutValues(secrets),
    tool_exec_environment_variables: withoutValues(variables),
  });
}

function withoutValues(variables: Readonly<Record<string, string>> | null | undefined) {
  return variables == null ? undefined : Object.fromEntries(Object.keys(variables).map((key) => [key, '']));
}
