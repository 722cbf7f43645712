import { randomBytes } from 'node:crypto';
import { withClient } from '../../../stack/postgres-database.js';
import { readTestState } from '../run/test-state.js';

/** A Letta server's database, and how rows get into it. */
export interface LettaDatabase {
  readonly url: string;
  /** Inserts rows; objects and arrays are JSON. What a row does not name has its column's usual value. */
  readonly insert: (table: keyof typeof usual, ...rows: readonly Row[]) => Promise<void>;
  readonly run: (statement: string) => Promise<void>;
  readonly drop: () => Promise<void>;
}

type Row = Readonly<Record<string, unknown>>;

/** An empty database with the tables that a Letta server of version 0.16 has for agents. */
export async function createLettaDatabase(): Promise<LettaDatabase> {
  const { adminUrl } = readTestState();
  const name = `letta_${randomBytes(6).toString('hex')}`;
  const url = Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
  const run = (at: string) => async (statement: string) => {
    await withClient(at, (client) => client.query(statement));
  };
  await run(adminUrl)(`create database ${name}`);
  await run(url)(schema);
  return {
    url,
    run: run(url),
    async insert(table, ...rows) {
      await withClient(url, async (client) => {
        for (const row of rows) {
          const all = { ...usual[table], ...row };
          const columns = Object.keys(all);
          await client.query(
            `insert into "${table}" (${columns.map((column) => `"${column}"`).join(', ')})
             values (${columns.map((_, place) => `$${place + 1}`).join(', ')})`,
            Object.values(all).map((value) =>
              typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
            ),
          );
        }
      });
    },
    drop: () => run(adminUrl)(`drop database if exists ${name} with (force)`),
  };
}

const owned = { organization_id: 'org-1' };

/** What Letta's own code gives the columns that must have a value. */
const usual = {
  agents: { ...owned, message_buffer_autoclear: false, agent_type: 'memgpt_v2_agent', tool_rules: [] },
  agents_tags: {},
  agent_environment_variables: { ...owned, value: '' },
  block: { ...owned, limit: 20_000, is_template: false, read_only: false, metadata_: {} },
  blocks_agents: {},
  blocks_conversations: {},
  messages: { ...owned, tool_calls: [], tool_returns: [] },
  conversations: owned,
  conversation_messages: { ...owned, position: 0, in_context: true },
  tools: { ...owned, source_type: 'python', tool_type: 'custom', tags: [] },
  tools_agents: {},
  archives: { ...owned, vector_db_provider: 'native' },
  archives_agents: { is_owner: true },
  archival_passages: { ...owned, metadata_: {} },
  sources: { ...owned, embedding_config: {}, vector_db_provider: 'native' },
  sources_agents: {},
  files: { ...owned, processing_status: 'completed' },
  file_contents: {},
  groups: { ...owned, description: '' },
  groups_blocks: {},
  identities_agents: {},
} as const satisfies Record<string, Row>;

const meta = `created_at timestamptz default now(), updated_at timestamptz default now(),
  is_deleted boolean not null default false, _created_by_id varchar, _last_updated_by_id varchar`;
const template = 'base_template_id varchar, template_id varchar, deployment_id varchar';

// The columns of Letta's own migrations; keys to tables that nobody reads are left out.
const schema = `
create table agents (id varchar primary key, agent_type varchar, name varchar, description varchar, system varchar,
  message_ids json, response_format json, metadata_ json, llm_config json, embedding_config json,
  compaction_settings json, tool_rules json, message_buffer_autoclear boolean not null, enable_sleeptime boolean,
  last_run_completion timestamptz, last_run_duration_ms integer, last_stop_reason varchar, timezone varchar,
  max_files_open integer, per_file_view_window_char_limit integer, hidden boolean, _vector_db_namespace varchar,
  organization_id varchar not null, project_id varchar, entity_id varchar, ${template}, ${meta});
create table agents_tags (agent_id varchar references agents, tag varchar, primary key (agent_id, tag));
create table agent_environment_variables (id varchar primary key, key varchar not null, value varchar not null,
  description varchar, value_enc text, agent_id varchar not null references agents on delete cascade,
  organization_id varchar not null, ${meta}, unique (key, agent_id));
create table block (id varchar primary key, template_name varchar, description varchar, label varchar not null,
  is_template boolean not null, preserve_on_migration boolean, value varchar not null, "limit" integer not null,
  metadata_ json, read_only boolean not null, hidden boolean, current_history_entry_id varchar,
  version integer not null default 1, organization_id varchar, project_id varchar, entity_id varchar, ${template},
  ${meta}, unique (id, label));
create table blocks_agents (agent_id varchar references agents on delete cascade, block_id varchar,
  block_label varchar, primary key (agent_id, block_id, block_label), unique (agent_id, block_label),
  foreign key (block_id, block_label) references block (id, label) deferrable initially deferred);
create table conversations (id varchar primary key, agent_id varchar not null references agents on delete cascade,
  summary varchar, model varchar, model_settings json, last_message_at timestamptz,
  organization_id varchar not null, ${meta});
create table blocks_conversations (conversation_id varchar references conversations on delete cascade,
  block_id varchar references block on delete cascade, block_label varchar,
  primary key (conversation_id, block_id, block_label));
create sequence message_seq_id;
create table messages (id varchar primary key, role varchar not null, text varchar, content json, model varchar,
  name varchar, tool_calls json not null, tool_call_id varchar, step_id varchar, run_id varchar, otid varchar,
  tool_returns json, group_id varchar, sender_id varchar, batch_item_id varchar,
  conversation_id varchar references conversations on delete set null, is_err boolean, approval_request_id varchar,
  approve boolean, denial_reason varchar, approvals json,
  sequence_id bigint not null unique default nextval('message_seq_id'),
  agent_id varchar not null references agents on delete cascade, organization_id varchar not null, ${meta});
create table conversation_messages (id varchar primary key,
  conversation_id varchar references conversations on delete cascade,
  agent_id varchar not null references agents on delete cascade,
  message_id varchar not null references messages on delete cascade, position integer not null,
  in_context boolean not null, organization_id varchar not null, ${meta}, unique (conversation_id, message_id));
create table tools (id varchar primary key, name varchar not null, tool_type varchar not null,
  return_char_limit integer, description varchar, tags json not null, source_type varchar not null,
  source_code varchar, json_schema json, args_json_schema json, pip_requirements json, npm_requirements json,
  default_requires_approval boolean, enable_parallel_execution boolean, metadata_ json,
  organization_id varchar not null, project_id varchar, ${meta}, unique (name, organization_id));
create table tools_agents (agent_id varchar references agents on delete cascade,
  tool_id varchar references tools on delete cascade, primary key (agent_id, tool_id));
create type vectordbprovider as enum ('NATIVE', 'TPUF', 'PINECONE', 'native', 'tpuf', 'pinecone');
create table archives (id varchar primary key, name varchar not null, description varchar,
  vector_db_provider vectordbprovider not null, embedding_config json, metadata_ json, _vector_db_namespace varchar,
  organization_id varchar not null, ${meta});
create table archives_agents (agent_id varchar references agents on delete cascade unique,
  archive_id varchar references archives on delete cascade, created_at timestamptz not null default now(),
  is_owner boolean not null, primary key (agent_id, archive_id));
create table archival_passages (id varchar primary key, text varchar not null, embedding_config json,
  metadata_ json not null, tags json, embedding real[], archive_id varchar not null references archives on delete cascade,
  organization_id varchar not null, ${meta});
create table sources (id varchar primary key, name varchar not null, description varchar, instructions varchar,
  embedding_config json not null, metadata_ json, vector_db_provider vectordbprovider not null,
  organization_id varchar not null, ${meta});
create table sources_agents (agent_id varchar references agents on delete cascade,
  source_id varchar references sources on delete cascade, primary key (agent_id, source_id));
create table files (id varchar primary key, file_name varchar, original_file_name varchar, file_path varchar,
  file_type varchar, file_size integer, file_creation_date varchar, file_last_modified_date varchar,
  processing_status varchar not null, error_message text, total_chunks integer, chunks_embedded integer,
  source_id varchar not null references sources on delete cascade, organization_id varchar not null, ${meta});
create table file_contents (id varchar primary key, file_id varchar not null unique references files on delete cascade,
  text text not null, ${meta});
create table groups (id varchar primary key, description varchar not null, manager_type varchar not null,
  manager_agent_id varchar references agents on delete restrict, termination_token varchar, max_turns integer,
  sleeptime_agent_frequency integer, max_message_buffer_length integer, min_message_buffer_length integer,
  turns_counter integer, last_processed_message_id varchar, hidden boolean, agent_ids json not null,
  organization_id varchar not null, project_id varchar, ${template}, ${meta});
create table groups_blocks (group_id varchar references groups on delete cascade,
  block_id varchar references block on delete cascade, primary key (group_id, block_id));
create table identities_agents (identity_id varchar, agent_id varchar references agents on delete cascade,
  primary key (identity_id, agent_id));
`;
