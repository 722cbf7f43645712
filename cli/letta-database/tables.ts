/** What is read of a Letta database, in the words of its schema in version 0.16. */
export const readTables = {
  agents: [
    ...['id', 'name', 'agent_type', 'description', 'system', 'message_ids', 'response_format', 'metadata_'],
    ...['llm_config', 'embedding_config', 'tool_rules', 'message_buffer_autoclear', 'timezone'],
    ...['max_files_open', 'per_file_view_window_char_limit', 'hidden', 'created_at', 'is_deleted'],
  ],
  agents_tags: ['agent_id', 'tag'],
  agent_environment_variables: ['agent_id', 'key', 'value', 'value_enc', 'is_deleted'],
  block: ['id', 'label', 'value', 'limit', 'description', 'read_only', 'metadata_', 'hidden', 'is_deleted'],
  blocks_agents: ['agent_id', 'block_id'],
  blocks_conversations: ['conversation_id', 'block_id'],
  messages: [
    ...['id', 'agent_id', 'conversation_id', 'role', 'text', 'content', 'name', 'tool_calls', 'tool_call_id'],
    ...['tool_returns', 'otid', 'sender_id', 'approve', 'denial_reason', 'approvals', 'sequence_id'],
    ...['created_at', 'is_deleted'],
  ],
  conversations: ['id', 'agent_id', 'summary', 'model', 'created_at', 'is_deleted'],
  conversation_messages: ['conversation_id', 'message_id', 'in_context', 'is_deleted'],
  tools: [
    ...['id', 'name', 'tool_type', 'description', 'source_type', 'source_code', 'json_schema'],
    ...['args_json_schema', 'tags', 'return_char_limit', 'pip_requirements', 'npm_requirements'],
    ...['default_requires_approval', 'enable_parallel_execution', 'is_deleted'],
  ],
  tools_agents: ['agent_id', 'tool_id'],
  archives: ['id', 'name', 'description', 'embedding_config', 'metadata_', 'created_at', 'is_deleted'],
  archives_agents: ['agent_id', 'archive_id', 'is_owner'],
  archival_passages: ['id', 'archive_id', 'text', 'tags', 'metadata_', 'created_at', 'is_deleted'],
  sources: ['id', 'name', 'description', 'instructions', 'metadata_', 'is_deleted'],
  sources_agents: ['agent_id', 'source_id'],
  files: ['id', 'source_id', 'file_name', 'original_file_name', 'file_type', 'file_size', 'is_deleted'],
  file_contents: ['file_id', 'text'],
  groups: [
    ...[
      'id',
      'description',
      'manager_type',
      'manager_agent_id',
      'agent_ids',
      'termination_token',
      'max_turns',
    ],
    ...['sleeptime_agent_frequency', 'is_deleted'],
  ],
  groups_blocks: ['group_id', 'block_id'],
  identities_agents: ['agent_id', 'identity_id'],
} as const;

/** JSON as the database holds it. */
export type Free = Readonly<Record<string, unknown>>;

interface Config {
  readonly handle?: string | null;
  readonly model_endpoint_type?: string | null;
  readonly model?: string | null;
  readonly embedding_endpoint_type?: string | null;
  readonly embedding_model?: string | null;
  readonly context_window?: number | null;
}

export interface AgentRow {
  readonly id: string;
  readonly name: string | null;
  readonly agent_type: string | null;
  readonly description: string | null;
  readonly system: string | null;
  readonly message_ids: readonly string[] | null;
  readonly response_format: Free | null;
  readonly metadata_: Free | null;
  readonly llm_config: Config | null;
  readonly embedding_config: Config | null;
  readonly tool_rules: readonly Free[] | null;
  readonly message_buffer_autoclear: boolean | null;
  readonly timezone: string | null;
  readonly max_files_open: number | null;
  readonly per_file_view_window_char_limit: number | null;
  readonly hidden: boolean | null;
  readonly tags: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly block_ids: readonly string[];
  readonly tool_ids: readonly string[];
  readonly source_ids: readonly string[];
  readonly archives: readonly { readonly id: string; readonly is_owner: boolean }[];
}

export interface MessageRow {
  readonly id: string;
  readonly agent_id: string;
  readonly conversation_id: string | null;
  readonly role: string;
  readonly text: string | null;
  readonly content: readonly Free[] | null;
  readonly name: string | null;
  readonly tool_calls: readonly Free[] | null;
  readonly tool_call_id: string | null;
  readonly tool_returns: readonly Free[] | null;
  readonly otid: string | null;
  readonly sender_id: string | null;
  readonly approve: boolean | null;
  readonly denial_reason: string | null;
  readonly approvals: readonly Free[] | null;
  readonly created_at: string | null;
}

export interface ConversationRow {
  readonly id: string;
  readonly agent_id: string;
  readonly summary: string | null;
  readonly model: string | null;
  readonly created_at: string | null;
  readonly in_context: readonly string[];
}

export interface ToolRow extends Free {
  readonly id: string;
  readonly name: string;
  readonly tool_type: string | null;
  readonly source_code: string | null;
  readonly tags: readonly string[] | null;
  readonly npm_requirements: readonly unknown[] | null;
}

export interface ArchiveRow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly metadata_: Free | null;
}

export interface PassageRow {
  readonly archive_id: string;
  readonly text: string;
  readonly tags: readonly string[] | null;
  readonly metadata_: Free | null;
  readonly created_at: string;
}

export interface GroupRow {
  readonly id: string;
  readonly description: string | null;
  readonly manager_type: string;
  readonly manager_agent_id: string | null;
  readonly agent_ids: readonly string[] | null;
  readonly termination_token: string | null;
  readonly max_turns: number | null;
  readonly sleeptime_agent_frequency: number | null;
  readonly block_ids: readonly string[];
}
