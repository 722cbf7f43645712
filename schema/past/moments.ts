import { sql } from 'kysely';
import type { Agent } from '../../core/agents/agents.js';
import { closedPart } from '../../core/threads/transcript.js';
import type { Tx } from '../db/database.js';
import { MomentRefusedError } from '../agents/errors.js';
import { MessageNotFoundError } from '../threads/errors.js';
import { StepNotFoundError } from '../turns/errors.js';
import { loadRange } from '../threads/messages.js';

/** A moment of an agent's past, as a caller names it. */
export type MomentName =
  | { readonly kind: 'now' }
  /** A `Date`, or ISO 8601 to the microsecond. One in milliseconds is the end of its millisecond. */
  | { readonly kind: 'time'; readonly at: Date | string }
  /** With this message in its transcript, and the results of its tool calls, and nothing after it. */
  | { readonly kind: 'message'; readonly messageId: string }
  /** With the step's answer and what its tools did. */
  | { readonly kind: 'step'; readonly stepId: string };

/** A moment of an agent's past. */
export interface Moment {
  /** By the database's clock, to the microsecond, in the form that the database reads. */
  readonly time: string;
  /** Where it was named by a message or a step: its thread, and the last message of that thread then. */
  readonly place: Place | null;
}

interface Place {
  readonly threadId: string;
  readonly position: number;
}

/**
 * Finds a moment in the agent's past. The caller holds the locks of its threads.
 * Throws MessageNotFoundError, StepNotFoundError, and MomentRefusedError where the agent was not there at the moment.
 */
export async function findMoment(tx: Tx, agent: Agent, name: MomentName): Promise<Moment> {
  const moment = await resolve(tx, agent, name);
  const bounds = await sql<{ early: boolean; late: boolean }>`
    select ${moment.time}::timestamptz < (select created_at from agents where id = ${agent.id}) as early,
      date_trunc('milliseconds', ${moment.time}::timestamptz) > clock_timestamp() as late`.execute(tx);
  const { early = false, late = false } = bounds.rows[0] ?? {};
  if (early) throw new MomentRefusedError('early', { agentId: agent.id, since: agent.createdAt });
  if (late) throw new MomentRefusedError('late', { agentId: agent.id, since: agent.createdAt });
  return moment;
}

async function resolve(tx: Tx, agent: Agent, name: MomentName): Promise<Moment> {
  switch (name.kind) {
    case 'now': {
      const now = await sql<{ time: string }>`select clock_timestamp()::text as time`.execute(tx);
      return { time: now.rows[0]?.time ?? '', place: null };
    }
    case 'time':
      return { time: toMicroseconds(name.at), place: null };
    case 'message':
      return momentOf(tx, await placeOfMessage(tx, agent, name.messageId));
    case 'step':
      return momentOf(tx, await placeOfStep(tx, agent, name.stepId));
  }
}

function toMicroseconds(at: Date | string): string {
  if (typeof at === 'string' && /\.\d{4,}/.test(at)) return at;
  return new Date(at).toISOString().replace(/Z$/, '999Z');
}

async function placeOfMessage(tx: Tx, agent: Agent, messageId: string): Promise<Place> {
  const row = await tx
    .selectFrom('messages')
    .select(['thread_id', 'position'])
    .where('id', '=', messageId)
    .where('agent_id', '=', agent.id)
    .executeTakeFirst();
  if (row?.position == null) throw new MessageNotFoundError(messageId, `in the transcript of ${agent.id}`);
  return { threadId: row.thread_id, position: row.position };
}

async function placeOfStep(tx: Tx, agent: Agent, stepId: string): Promise<Place> {
  const step = await tx
    .selectFrom('steps')
    .select('thread_id')
    .where('id', '=', stepId)
    .where('agent_id', '=', agent.id)
    .executeTakeFirst();
  if (step === undefined) throw new StepNotFoundError(stepId);
  const last = await tx
    .selectFrom('messages')
    .select((eb) => eb.fn.max<number | null>('position').as('position'))
    .where('step_id', '=', stepId)
    .where('kind', 'in', ['assistant', 'tool'])
    .executeTakeFirstOrThrow();
  if (last.position === null) throw new MomentRefusedError('unanswered', { stepId });
  return { threadId: step.thread_id, position: last.position };
}

/** The moment at which the last message was placed that belongs to what stands at a place. */
async function momentOf(tx: Tx, place: Place): Promise<Moment> {
  const position = await closedEnd(tx, { ...place, position: await withResults(tx, place) });
  const row = await sql<{ time: string }>`
    select placed_at::text as time from messages
    where thread_id = ${place.threadId} and position <= ${position} order by position desc limit 1`.execute(
    tx,
  );
  const time = row.rows[0]?.time;
  // Nothing but an answer whose tools still run, and nothing before it: as if nothing had been said.
  if (time === undefined) throw new MomentRefusedError('unanswered', { threadId: place.threadId });
  return { time, place: { threadId: place.threadId, position } };
}

/** An answer comes with the results of its calls: a provider accepts it no other way. */
async function withResults(tx: Tx, { threadId, position }: Place): Promise<number> {
  const next = await sql<{ last: number }>`
    select coalesce(
      (select min(position) - 1 from messages
        where thread_id = ${threadId} and position > ${position} and kind <> 'tool'),
      (select max(position) from messages where thread_id = ${threadId})) as last`.execute(tx);
  return next.rows[0]?.last ?? position;
}

/**
 * The last position, at or before the given one, at which the transcript has a result for each tool call: what a
 * running turn, or one that waits for an approval, has begun is left out.
 */
async function closedEnd(tx: Tx, { threadId, position }: Place): Promise<number> {
  const answer = await tx
    .selectFrom('messages')
    .select((eb) => eb.fn.max<number | null>('position').as('position'))
    .where('thread_id', '=', threadId)
    .where('position', '<=', position)
    .where('kind', '=', 'assistant')
    .executeTakeFirstOrThrow();
  if (answer.position === null) return position;
  const range = await loadRange(tx, threadId, { from: answer.position, to: position });
  return closedPart(range).length === 0 ? answer.position - 1 : position;
}

/** The last position of a thread's transcript at a moment; 0 where nothing had been said. */
export async function endAt(tx: Tx, threadId: string, { time, place }: Moment): Promise<number> {
  if (place?.threadId === threadId) return place.position;
  const row = await sql<{ position: number | null }>`
    select position from messages
    where thread_id = ${threadId} and position is not null and placed_at <= ${time}::timestamptz
    order by position desc limit 1`.execute(tx);
  return closedEnd(tx, { threadId, position: row.rows[0]?.position ?? 0 });
}
