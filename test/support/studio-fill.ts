import { sql } from 'kysely';
import { type Db, openDatabase } from '../../schema/db/database.js';
import { runCanary } from './runtime/canary.js';

/** Fills a database behind the server's back, because thousands of turns would take hours. */
export async function fill(databaseUrl: string, work: (db: Db) => Promise<void>): Promise<void> {
  const database = openDatabase(databaseUrl);
  try {
    await work(database.db);
  } finally {
    await database.close();
  }
}

/** More agents like this one: `Agent 1`, `Agent 2`, … */
export async function addAgents(db: Db, likeId: string, count: number): Promise<void> {
  await sql`
    with made as (
      insert into agents (id, name, agent_type, system, description, metadata, model, embedding, context_window,
        model_settings, tool_rules, timezone, extras, created_at)
      select 'agent-' || gen_random_uuid(), 'Agent ' || number, agent_type, system, description, metadata, model,
        embedding, context_window, model_settings, tool_rules, timezone, extras,
        created_at + number * interval '1 millisecond'
      from agents, generate_series(1, ${count}) as number where id = ${likeId}
      returning id
    )
    insert into threads (id, agent_id, is_default) select id, id, true from made`.execute(db);
}

/** Takes those away again. */
export async function removeAgents(db: Db): Promise<void> {
  await sql`delete from agents where name ~ '^Agent [0-9]+$'`.execute(db);
}

/** A transcript of an agent without one: `Message 1` by the user, `Message 2` by the agent, and so on. */
export async function addMessages(db: Db, agentId: string, count: number): Promise<void> {
  const canary = runCanary();
  await sql`
    insert into messages (id, agent_id, thread_id, position, kind, body, words, tokens, identifiers, created_at)
    select 'message-' || gen_random_uuid(), ${agentId}, ${agentId}, number,
      case when number % 2 = 1 then 'user' else 'assistant' end,
      case when number % 2 = 1
        then jsonb_build_object('kind', 'user', 'content', jsonb_build_array(jsonb_build_object(
          'type', 'text', 'text', 'Message ' || number || '. ' || ${canary}::text)))
        else jsonb_build_object('kind', 'assistant', 'text', '', 'reasoning', '', 'nativeReasoning', false,
          'toolCalls', jsonb_build_array(jsonb_build_object('id', 'c' || number, 'name', 'send_message',
            'arguments', json_build_object('message', 'Message ' || number || '. ' || ${canary}::text)::text)))
      end,
      'Message ' || number, 4, '{}', now() - (${count} - number) * interval '1 minute'
    from generate_series(1, ${count}) as number`.execute(db);
  await sql`
    update threads set next_position = ${count + 1}, queue_start = ${count - 9} where id = ${agentId}`.execute(
    db,
  );
}
