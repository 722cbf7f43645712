import { sql } from 'kysely';
import type { Agent } from '../../core/agents/agents.js';
import { closedPart } from '../../core/threads/transcript.js';
import type { Tx } from '../db/database.js';
import { MomentRefusedError } from '../agents/errors.js';
import { MessageNotFoundError } from '../threads/errors.js';
import { StepNotFoundError } from '../turns/errors.js';
import { loadRange } from '../threads/messages.js';

/** A moment in an agent's past, as a caller names it. */
export type MomentName =
  | { readonly kind: 'now' }
  /** A `Date`, or ISO 8601 to the microsecond. A time in milliseconds means the end of its millisecond. */
  | { readonly kind: 'time'; readonly at: Date | string }
  /** Up to and including this message and the results of its tool calls. */
  | { readonly kind: 'message'; readonly messageId: string }
  /** Up to and including the step's answer and the results of its tools. */
  | { readonly kind: 'step'; readonly stepId: string };

/** A moment in an agent's past. */
export interface Moment {
  /** By the database's clock, to the microsecond, in the database's format. */
  readonly time: string;
  /** If a message or a step named it: its thread, and that thread's last message then. */
  readonly place: Place | null;
}

interface Place {
  readonly threadId: string;
  readonly position: number;
}

/**
 * Finds a moment in the agent's past. The caller holds the locks of the agent's threads. Throws MessageNotFoundError,
 * StepNotFoundError, and MomentRefusedError where the agent did not exist at the moment.
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

/** When the last message up to a place was added to the transcript. */
async function momentOf(tx: Tx, place: Place): Promise<Moment> {
  const position = await closedEnd(tx, { ...place, position: await withResults(tx, place) });
  const row = await sql<{ time: string }>`
    select placed_at::text as time from messages
    where thread_id = ${place.threadId} and position <= ${position} order by position desc limit 1`.execute(
    tx,
  );
  const time = row.rows[0]?.time;
  // The thread begins with an answer whose tools still run, so there is nothing to show.
  if (time === undefined) throw new MomentRefusedError('unanswered', { threadId: place.threadId });
  return { time, place: { threadId: place.threadId, position } };
}

/** Providers demand an answer together with the results of its calls. */
async function withResults(tx: Tx, { threadId, position }: Place): Promise<number> {
  const next = await sql<{ last: number }>`
    select coalesce(
      (select min(position) - 1 from messages
        where thread_id = ${threadId} and position > ${position} and kind <> 'tool'),
      (select max(position) from messages where thread_id = ${threadId})) as last`.execute(tx);
  return next.rows[0]?.last ?? position;
}

/**
 * The last position, up to the given one, at which each tool call has its result. It omits what a running or waiting
 * turn has begun.
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

/** The last position of a thread's transcript at a moment; 0: empty. */
export async function endAt(tx: Tx, threadId: string, { time, place }: Moment): Promise<number> {
  if (place?.threadId === threadId) return place.position;
  const row = await sql<{ position: number | null }>`
    select position from messages
    where thread_id = ${threadId} and position is not null and placed_at <= ${time}::timestamptz
    order by position desc limit 1`.execute(tx);
  return closedEnd(tx, { threadId, position: row.rows[0]?.position ?? 0 });
}
