import { type Kysely, sql } from 'kysely';

/** Indexes without which a statement reads a whole table once there are millions of rows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Raw statements, because partial indexes and storage parameters read best as the SQL they are.
const statements = [
  // A foreign key is looked up whenever a row that it points at is deleted.
  `create index effects_by_turn on effects (turn_id)`,
  `create index edges_by_turn on edges (from_turn)`,
  `create index edges_by_thread on edges (from_thread)`,
  `create index agent_tools_by_tool on agent_tools (tool_id)`,
  `create index threads_by_summary on threads (summary_block_id) where summary_block_id is not null`,
  `create index queue_moves_by_summary on queue_moves (summary_block_id) where summary_block_id is not null`,
  `create index seen_revisions_by_block on seen_revisions (block_id)`,
  `create index past_attachments_by_block on past_attachments (block_id)`,
  `create index group_blocks_by_block on group_blocks (block_id)`,
  `create index tool_tokens_by_agent on tool_tokens (agent_id)`,
  `create index refinement_requests_by_partner on refinement_requests (partner_id)`,
  `create index refinement_requests_by_group on refinement_requests (group_id)`,
  `create index refinements_by_partner on refinements (partner_id)`,
  `create index refinements_by_request on refinements (request_id)`,
  `create index refinement_ranges_by_thread on refinement_ranges (thread_id)`,
  `create index refinement_branches_by_block on refinement_branches (block_id)`,
  `create index watermarks_by_thread on watermarks (thread_id)`,
  // A turn has few effects, and an index on their state would have each of its changes write to every index.
  `drop index effects_open`,
  `drop index edges_from_turn`,
  // What is purged and what is pruned.
  `create index agents_deleted on agents (deleted_at) where deleted_at is not null`,
  `create index threads_deleted on threads (deleted_at) where deleted_at is not null`,
  // Lists.
  `create index steps_by_creation on steps (created_at, id)`,
  `create index archives_by_creation on archives (created_at, id)`,
  `create index agents_by_update on agents (updated_at desc, id desc) where deleted_at is null`,
  `create index messages_by_creation on messages (created_at, position, id) where position is not null`,
  `create index turns_by_state on turns (state, created_at desc, id desc)`,
  // Nearly all turns end in order, and nearly none is sent to the background: those are found by their creation.
  `create index turns_by_stop_reason on turns (stop_reason, created_at desc, id desc) where stop_reason <> 'end_turn'`,
  `create index turns_background on turns (created_at desc, id desc)
    where coalesce((options->>'background')::boolean, false)`,
  `create index blocks_tagged on blocks (id) where tags <> '{}'`,
  // What is kept with an agent or a block and asked for by its value, such as their project.
  `create index agents_by_extras on agents using gin (extras jsonb_path_ops)`,
  `create index blocks_by_extras on blocks using gin (extras jsonb_path_ops)`,
  // A turn is touched with every event: what changes then stands in no index, and there is room beside the row for its
  // next version, so that such a change writes to no index at all (a heap-only tuple).
  `drop index turns_running`,
  `alter table turns set (fillfactor = 70)`,
  `alter table threads set (fillfactor = 80)`,
];
