import type { Generated } from 'kysely';
import type { FileState, JobState } from '../../core/files/files.js';
import type { Extras, Moment } from '../db/columns.js';

export interface SourcesTable {
  id: string;
  name: string;
  description: string | null;
  instructions: string | null;
  metadata: Extras;
  embedding: string;
  chunk_size: number;
  chunk_overlap: number;
  created_at: Moment;
  updated_at: Moment;
}

export interface FilesTable {
  id: string;
  source_id: string;
  job_id: string;
  name: string;
  original_name: string;
  media_type: string | null;
  size: number;
  state: Generated<FileState>;
  error: string | null;
  chunks: number | null;
  chunks_embedded: Generated<number>;
  lines: number | null;
  characters: number | null;
  touched_at: Moment;
  created_at: Moment;
  updated_at: Moment;
}

export interface FileBytesTable {
  file_id: string;
  index: number;
  bytes: Buffer;
}

export interface FilePartsTable {
  file_id: string;
  index: number;
  first_line: number;
  words: string;
}

export interface FileChunksTable {
  file_id: string;
  index: number;
  passage_id: string;
  words: string;
  first_line: number;
  last_line: number;
  identifiers: string[];
  embedding: number[] | null;
  embedding_model: string | null;
}

export interface JobsTable {
  id: string;
  source_id: string;
  file_id: string;
  file_name: string;
  state: Generated<JobState>;
  error: string | null;
  created_at: Moment;
  updated_at: Moment;
  completed_at: Date | null;
}

export interface AgentSourcesTable {
  agent_id: string;
  source_id: string;
  created_at: Moment;
}

export interface AgentFilesTable {
  agent_id: string;
  file_id: string;
  is_open: boolean;
  first_line: Generated<number>;
  line_count: number | null;
  characters: Generated<number>;
  files_limit: number | null;
  accessed_at: Moment;
}

/** The tables of sources and their files. */
export interface FileTables {
  sources: SourcesTable;
  files: FilesTable;
  file_bytes: FileBytesTable;
  file_parts: FilePartsTable;
  file_chunks: FileChunksTable;
  jobs: JobsTable;
  agent_sources: AgentSourcesTable;
  agent_files: AgentFilesTable;
}
