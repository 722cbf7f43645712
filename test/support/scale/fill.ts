import { type RawBuilder, sql } from 'kysely';
import { type Db, inTransaction, type Tx } from '../../../schema/db/database.js';

/** How many rows a filled database has. */
export interface FillSize {
  readonly agents: number;
  readonly turns: number;
  readonly steps: number;
  readonly messages: number;
}

/** What a database has that was used by many for long. */
const fullSize: FillSize = {
  agents: 100_000,
  turns: 1_000_000,
  steps: 5_000_000,
  messages: 3_000_000,
};

/** The same, this much smaller. */
export function scaledSize(divisor: number): FillSize {
  const scaled = (count: number): number => Math.ceil(count / divisor);
  const { agents, turns, steps, messages } = fullSize;
  return { agents: scaled(agents), turns: scaled(turns), steps: scaled(steps), messages: scaled(messages) };
}

/** Rows of one agent that has had a turn with a tool call: all others are made like them. */
interface Pattern {
  readonly agents: string;
  readonly turns: string;
  readonly steps: string;
  readonly effects: string;
}

/** A column's value, told from `n`, the row's number from 0. */
type Columns = Readonly<Record<string, RawBuilder<unknown>>>;

/**
 * Fills the tables with rows like those of an agent's newest turn, by SQL. What a row consists of is read from the
 * database, and only what tells rows apart is made up. The connection must be a superuser's, so that neither triggers nor
 * foreign keys look at what is written, and must have no limit for a statement.
 */
export async function fillDatabase(db: Db, agentId: string, size: FillSize): Promise<void> {
  const pattern = await findPattern(db, agentId);
  const dropped = await dropIndexes(db);
  await inTransaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`set local synchronous_commit = off`.execute(tx);
    await fillAgents(tx, pattern, size);
    await fillTurns(tx, pattern, size);
  });
  for (const index of dropped) await sql.raw(index).execute(db);
  await sql`vacuum analyze`.execute(db);
}

async function findPattern(db: Db, agentId: string): Promise<Pattern> {
  const { rows } = await sql<Pattern>`
    select turns.agent_id as agents, turns.id as turns, steps.id as steps, effects.id as effects
    from turns join steps on steps.turn_id = turns.id join effects on effects.step_id = steps.id
    where turns.agent_id = ${agentId} order by turns.created_at desc, steps.index limit 1`.execute(db);
  const pattern = rows[0];
  if (pattern === undefined) throw new Error(`Agent ${agentId} has had no turn with a tool call.`);
  return pattern;
}

/** The `n`th id of a kind, in the order of `n`: indexes are written at their ends. */
function idOf(kind: string, n: RawBuilder<unknown>): RawBuilder<string> {
  return sql`(${sql.lit(`${kind}-00000000-0000-4000-8000-`)} || lpad(to_hex(${n}), 12, '0'))`;
}

const n = sql`n`;

/** Long ago, one after the other, a second apart. */
function momentOf(number: RawBuilder<unknown>, count: number): RawBuilder<Date> {
  return sql`(now() - (${sql.lit(count)} - (${number})) * interval '1 second')`;
}

async function fillAgents(tx: Tx, pattern: Pattern, { agents }: FillSize): Promise<void> {
  const agent = idOf('agent', n);
  const created = momentOf(n, agents);
  const from = pattern.agents;
  await clone(tx, 'agents', agents, sql`id = ${from}`, {
    ...{ id: agent, created_at: created, updated_at: created },
  });
  await clone(tx, 'threads', agents, sql`id = ${from}`, {
    ...{ id: agent, agent_id: agent, epoch_id: sql`null`, created_at: created },
    ...{ next_delivery: sql`1000001`, next_position: sql`1000001` },
  });
  // As many blocks as an agent has: which one of them, `each` tells.
  const { rows } = await sql<{ id: string }>`
    select block_id as id from agent_blocks where agent_id = ${from} order by position`.execute(tx);
  for (const [each, { id }] of rows.entries()) {
    const block = idOf('block', sql`n * 16 + ${sql.lit(each)}`);
    await clone(tx, 'blocks', agents, sql`id = ${id}`, { id: block, created_at: created, revision: sql`1` });
    const first = sql`block_id = ${id} and revision = 1`;
    await clone(tx, 'block_revisions', agents, first, { block_id: block, created_at: created });
    const attached = sql`agent_id = ${from} and block_id = ${id}`;
    await clone(tx, 'agent_blocks', agents, attached, { agent_id: agent, block_id: block });
  }
  const archive = idOf('archive', n);
  const own = sql`select archive_id from agent_archives where agent_id = ${from} and is_owner`;
  await clone(tx, 'archives', agents, sql`id = (${own})`, { id: archive, created_at: created });
  await clone(tx, 'agent_archives', agents, sql`agent_id = ${from}`, {
    agent_id: agent,
    archive_id: archive,
  });
  await clone(tx, 'agent_tools', agents, sql`agent_id = ${from}`, { agent_id: agent });
}

async function fillTurns(tx: Tx, pattern: Pattern, size: FillSize): Promise<void> {
  const { agents, turns, steps, messages } = size;
  const count = (value: number): RawBuilder<unknown> => sql.lit(value);
  const placeIn = (per: number) => ({ which: sql`(n / ${count(per)})`, place: sql`(n % ${count(per)})` });
  const agentOf = (turn: RawBuilder<unknown>) => idOf('agent', sql`(${turn}) % ${count(agents)}`);
  const whose = (turn: RawBuilder<unknown>): Columns => ({
    agent_id: agentOf(turn),
    thread_id: agentOf(turn),
  });
  const times = (moment: RawBuilder<unknown>): Columns => ({
    ...{ created_at: moment, started_at: moment, completed_at: moment, touched_at: moment },
    answered_at: moment,
  });
  const ofTurn = sql`turn_id = ${pattern.turns}`;
  await clone(tx, 'turns', turns, sql`id = ${pattern.turns}`, {
    ...{ id: idOf('run', n), ...whose(n), ...times(momentOf(n, turns)) },
    ...{ request_key: sql`null`, execution_id: idOf('execution', n) },
  });
  await clone(tx, 'deliveries', turns, ofTurn, {
    ...{ id: idOf('delivery', n), turn_id: idOf('run', n), ...whose(n), ...times(momentOf(n, turns)) },
    ...{ seq: sql`n / ${count(agents)} + 1`, claimed_by: idOf('execution', n) },
  });
  await clone(tx, 'turn_events', turns, sql`${ofTurn} and event->>'kind' = 'ended'`, {
    ...{ turn_id: idOf('run', n), ...times(momentOf(n, turns)) },
  });
  const step = placeIn(steps / turns);
  const atStep = { turn_id: idOf('run', step.which), ...whose(step.which) };
  await clone(tx, 'steps', steps, sql`id = ${pattern.steps}`, {
    ...{ id: idOf('step', n), ...atStep, index: step.place, ...times(momentOf(step.which, turns)) },
    ...{ epoch_id: idOf('epoch', sql`${step.which} % ${count(agents)}`), answer_message_id: idOf('none', n) },
  });
  await clone(tx, 'effects', steps, sql`id = ${pattern.effects}`, {
    ...{ id: idOf('effect', n), step_id: idOf('step', n), ...atStep, index: sql`0` },
    ...{ result_message_id: idOf('none', n), ...times(momentOf(step.which, turns)) },
  });
  const message = placeIn(messages / turns);
  await clone(tx, 'messages', messages, sql`${ofTurn} and kind = 'user'`, {
    ...{ id: idOf('message', n), turn_id: idOf('run', message.which), ...whose(message.which) },
    step_id: idOf('step', sql`${message.which} * ${count(steps / turns)}`),
    position: sql`(${message.which} / ${count(agents)}) * ${count(messages / turns)} + ${message.place} + 1`,
    created_at: sql`${momentOf(message.which, turns)} + ${message.place} * interval '1 millisecond'`,
    otid: sql`null`,
  });
  await sql`
    insert into agent_ends (agent_id, period)
    select agent_id, end_period(max(completed_at)) from turns group by agent_id
    on conflict (agent_id) do update set period = excluded.period`.execute(tx);
  await sql`update threads set queue_start = next_position where id like 'agent-00000000-0000-4000-8000-%'`.execute(
    tx,
  );
}

/** Writes `count` rows like the one that `which` names, each with the columns that are made; an agent has all its tools. */
async function clone(
  tx: Tx,
  table: string,
  count: number,
  which: RawBuilder<unknown>,
  made: Columns,
): Promise<void> {
  const columns = await writableColumns(tx, table);
  const values = columns.map((column) => made[column] ?? sql.ref(`pattern.${column}`));
  const taken = table === 'agent_tools' ? sql`` : sql`limit 1`;
  await sql`
    insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    select ${sql.join(values)} from generate_series(0::bigint, ${sql.lit(count - 1)}) as n,
      (select * from ${sql.table(table)} where ${which} ${taken}) as pattern`.execute(tx);
}

/** What can be written: neither what is generated nor what counts itself. */
async function writableColumns(tx: Tx, table: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_schema = current_schema() and table_name = ${table}
      and is_generated = 'NEVER' and is_identity = 'NO'
    order by ordinal_position`.execute(tx);
  return rows.map(({ name }) => name);
}

/** Takes the indexes away that only speed reading up, and returns the statements that make them again. */
async function dropIndexes(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string; definition: string }>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where indrelid = any(array['turns', 'steps', 'effects', 'messages', 'deliveries']::regclass[])
      and not indisunique`.execute(db);
  for (const { name } of rows) await sql`drop index ${sql.raw(name)}`.execute(db);
  return rows.map(({ definition }) => definition);
}
