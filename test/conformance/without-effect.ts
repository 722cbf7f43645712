/** Fields that clients can send, and that change nothing here. */
export interface WithoutEffect {
  /** Names of operations, of either generation. */
  readonly operations: readonly string[];
  /** As the clients call them, in Python's spelling. */
  readonly fields: readonly string[];
  /** Why a program does not miss the effect, or what it does instead. */
  readonly why: string;
  /** They are read and given back all the same. */
  readonly isKept?: true;
}

const sends = [
  'agents.messages.create',
  'agents.messages.create_async',
  'agents.messages.stream',
  'conversations.messages.create',
];

/** All there are: a test compares them with what the clients can send and the routes read. */
export const withoutEffect: readonly WithoutEffect[] = [
  {
    operations: ['agents.list', 'agents.retrieve', 'blocks.agents.list'],
    fields: ['include', 'include_relationships'],
    why: 'An agent is always returned with all its parts.',
  },
  {
    operations: ['agents.create', 'agents.update'],
    fields: ['reasoning', 'enable_reasoner', 'max_reasoning_tokens'],
    why: 'A model reasons by its provider’s default; `model_settings.reasoning.reasoning_effort` is passed on.',
  },
  {
    operations: sends,
    fields: ['enable_thinking'],
    why: 'As above. Letta deprecates it, too.',
    isKept: true,
  },
  {
    operations: ['agents.create'],
    fields: ['embedding_chunk_size', 'template'],
    why: 'No longer used by Letta either. A source has its own `embedding_chunk_size`.',
  },
  {
    operations: ['agents.create'],
    fields: ['memory_variables'],
    why: 'They fill in templates, which perdure does not have. They are stored, and `agents.memory_variables.list` returns them.',
    isKept: true,
  },
  {
    operations: ['agents.create', 'groups.create', 'groups.modify', 'identities.create', 'identities.upsert'],
    fields: ['project', 'create_agent_request_project'],
    why: 'Only Letta’s hosted service uses a project’s name. `project_id` is stored, and lists can filter by it.',
  },
  {
    operations: ['agents.update', 'agents.modify'],
    fields: ['last_run_completion', 'last_run_duration_ms', 'last_stop_reason'],
    why: 'They follow from the agent’s runs.',
  },
  {
    operations: ['blocks.create', 'blocks.update', 'agents.blocks.update'],
    fields: ['base_template_id', 'deployment_id', 'entity_id', 'template_id', 'preserve_on_migration'],
    why: 'They belong to templates of Letta’s hosted service. They are stored and returned.',
    isKept: true,
  },
  {
    operations: ['tools.create', 'tools.update', 'tools.upsert'],
    fields: ['enable_parallel_execution'],
    why: 'The calls of one step run in their order, so each sees the effect of the one before.',
    isKept: true,
  },
  {
    operations: ['agents.summarize_agent_conversation'],
    fields: ['max_message_length'],
    why: 'The context window determines how much stays in context.',
  },
  {
    operations: sends,
    fields: ['top_logprobs'],
    why: 'It refines `return_logprobs`, which is refused.',
  },
  {
    operations: ['agents.messages.list', 'conversations.messages.list'],
    fields: ['include_err'],
    why: 'There are no hidden error messages: a run has its error.',
  },
  {
    operations: ['conversations.update'],
    fields: ['last_message_at'],
    why: 'It follows from the conversation’s messages.',
  },
  {
    operations: ['conversations.messages.stream', 'runs.messages.stream'],
    fields: ['batch_size', 'poll_interval'],
    why: 'They tune how Letta polls its event log. Here each event is sent to the streams.',
    isKept: true,
  },
  {
    operations: ['runs.messages.stream'],
    fields: ['agent_id', 'otid'],
    why: 'They find a run, which the path already names.',
  },
  {
    operations: ['mcp_servers.refresh'],
    fields: ['agent_id'],
    why: 'A server lists its tools the same way for every agent.',
  },
  {
    operations: ['tools.list_mcp_servers'],
    fields: ['user_id'],
    why: 'There are no users.',
  },
  {
    operations: ['agents.passages.modify'],
    fields: [
      'id',
      'created_by_id',
      'last_updated_by_id',
      'updated_at',
      'passage_update_agent_id',
      'source_id',
      'file_id',
      'file_name',
      'embedding_config',
    ],
    why: 'A passage’s identity and owner can’t change. Its new text is embedded by the same model as before.',
  },
];
