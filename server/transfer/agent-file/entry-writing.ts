import type {
  TransferredBlock,
  TransferredFile,
  TransferredGroup,
  TransferredSource,
  TransferredTool,
} from '../../../core/transfer/transfer.js';
import type { EmbeddingDescription } from '../../../core/models/model.js';
import { toWireBlock } from '../../blocks/blocks-wire.js';
import { without } from '../../http/fields-wire.js';
import { toEmbeddingConfig } from '../../models/model-configs-wire.js';
import { toWireTool } from '../../tools/tools-wire.js';
import type { FileNames } from './entry-names.js';

type Written = Readonly<Record<string, unknown>>;

/** Fields of rows that have no meaning in a file. */
const unwritten = { revision: 0, createdAt: new Date(0), updatedAt: new Date(0) };

export function toFileBlock(id: string, block: TransferredBlock): Written {
  const written = toWireBlock({ ...unwritten, ...block, id });
  return without(written, 'revision', 'name', 'created_by_id', 'last_updated_by_id');
}

export function toFileTool(id: string, tool: TransferredTool): Written {
  const schema = tool.schema ?? {
    name: tool.name,
    description: '',
    parameters: { type: 'object', properties: {} },
  };
  return { ...toWireTool({ ...unwritten, ...tool, schema, id }) };
}

export function toFileSource(
  id: string,
  source: TransferredSource,
  embedding: EmbeddingDescription,
): Written {
  return {
    id,
    name: source.name,
    description: source.description,
    instructions: source.instructions,
    metadata: source.metadata,
    embedding: source.embedding,
    embedding_chunk_size: source.chunkSize,
    embedding_config: {
      ...toEmbeddingConfig(embedding),
      embedding_endpoint: null,
      embedding_chunk_size: source.chunkSize,
    },
  };
}

export function toSourceFile(written: {
  readonly id: string;
  readonly sourceId: string;
  readonly file: TransferredFile;
}): Written {
  const { id, sourceId, file } = written;
  return {
    id,
    source_id: sourceId,
    file_name: file.name,
    original_file_name: file.originalName,
    file_type: file.mediaType,
    file_size: file.size,
    processing_status: 'completed',
    total_chunks: file.passages.length,
    chunks_embedded: file.passages.length,
    content: file.text,
  };
}

export function toFileGroup(id: string, group: TransferredGroup, names: FileNames): Written {
  const { managerConfig: config } = group;
  return {
    id,
    agent_ids: group.agentIds.map((agent) => names.name('agent', agent)),
    description: group.description,
    manager_config: {
      manager_type: group.managerType,
      ...(group.managerAgentId === null
        ? {}
        : { manager_agent_id: names.name('agent', group.managerAgentId) }),
      ...(config.frequency === undefined ? {} : { sleeptime_agent_frequency: config.frequency }),
      ...(config.terminationToken === undefined ? {} : { termination_token: config.terminationToken }),
      ...(config.maxTurns === undefined ? {} : { max_turns: config.maxTurns }),
    },
    shared_block_ids: group.sharedBlockIds.map((block) => names.name('block', block)).sort(),
  };
}
