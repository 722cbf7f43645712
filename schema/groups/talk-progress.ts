import { type Selectable, sql } from 'kysely';
import { derivedId } from '../../core/ids.js';
import type { MessageBody } from '../../core/threads/messages.js';
import { finalState, type StopReason } from '../../core/turns/stop-reasons.js';
import { broadcastTool } from '../../core/tools/supervising.js';
import {
  choice,
  heardBody,
  introduction,
  supervision,
  type TalkLine,
} from '../../core/groups/talk-messages.js';
import { decideTalk, type NextInTalk } from '../../core/groups/talks.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { enqueueTurn } from '../turns/deliveries.js';
import { hint } from '../db/hints.js';
import type { TalksTable, TalkTurnsTable } from './tables.js';
import {
  type AwaitedTurn,
  closeTalkTurn,
  linesOf,
  readTalkTurns,
  type TalkTurnRow,
  toEndedTurns,
  unheard,
} from './talk-turns.js';
import { agentsOf, lockTalksAndThreads } from './talks.js';
import { endedMark, turnChannel } from '../turns/events.js';
import type { TurnOptions } from '../turns/records.js';

/** The progress of a group's talks. */
export interface TalkProgress {
  /** The turn that the talk waits for; null: none. */
  readonly awaited: AwaitedTurn | null;
  /** Agents whose threads have new deliveries. */
  readonly wake: readonly string[];
}

/**
 * Advances a group's talks as far as possible: in one transaction, records how the awaited turn ended and stores the
 * next one. Harmless when repeated: it then returns the awaited turn. `withinMs`: how long a talk waits for one turn.
 */
export async function advanceTalks(db: Db, groupId: string, withinMs: number): Promise<TalkProgress> {
  return inTransaction(db, async (tx) => {
    await lockTalksAndThreads(tx, groupId);
    const wake: string[] = [];
    for (;;) {
      const talk = await oldestOpen(tx, groupId);
      if (talk === undefined) return { awaited: null, wake };
      const awaited = await advance(tx, { talk, wake, withinMs });
      if (awaited !== undefined) return { awaited, wake };
    }
  });
}

type TalkRow = Selectable<TalksTable>;

interface Moving {
  readonly talk: TalkRow;
  readonly wake: string[];
  readonly withinMs: number;
}

async function oldestOpen(tx: Tx, groupId: string): Promise<TalkRow | undefined> {
  return tx
    .selectFrom('talks')
    .selectAll()
    .where('group_id', '=', groupId)
    .where('completed_at', 'is', null)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
}

/** The turn that the talk waits for; undefined: the talk is over. */
async function advance(tx: Tx, moving: Moving): Promise<AwaitedTurn | undefined> {
  const { talk, wake } = moving;
  for (;;) {
    const rows = await readTalkTurns(tx, talk.id);
    const open = rows.find((row) => row.stop_reason === null);
    if (open !== undefined) {
      const awaited = await closeTalkTurn(tx, open);
      if (awaited === undefined) continue;
      if (awaited.isIdle) wake.push(open.agent_id);
      return awaited;
    }
    const there = await livingAgents(tx, talk);
    const ended = toEndedTurns(rows);
    const next = decideTalk(talk.plan, ended, (agentId) => there.get(agentId) === 'free');
    const state = { ...moving, rows, lines: linesOf(talk.plan, talk.messages, ended) };
    if (next.kind === 'over') {
      await tellTheRest(tx, state, there);
      await endTalk(tx, talk.id, next.stopReason);
      return undefined;
    }
    await giveNext(tx, state, next);
  }
}

interface TalkState extends Moving {
  readonly rows: readonly TalkTurnRow[];
  readonly lines: readonly TalkLine[];
}

/** `held`: a call in the agent's thread waits for an approval, which blocks the thread. */
type Living = ReadonlyMap<string, 'free' | 'held'>;

/** The talk's existing agents. The manager is always included, because without it nobody would answer. */
async function livingAgents(tx: Tx, { plan }: TalkRow): Promise<Living> {
  const rows = await tx
    .selectFrom('agents')
    .innerJoin('threads', 'threads.id', 'agents.id')
    .select(['agents.id', 'threads.awaiting_step'])
    .where('agents.id', '=', sql<string>`any(${agentsOf(plan)})`)
    .where('agents.deleted_at', 'is', null)
    .execute();
  return new Map(
    rows.map(({ id, awaiting_step: step }) => [
      id,
      step === null || id === plan.managerAgentId ? 'free' : 'held',
    ]),
  );
}

async function giveNext(
  tx: Tx,
  state: TalkState,
  next: Exclude<NextInTalk, { kind: 'over' }>,
): Promise<void> {
  const { talk, rows, lines } = state;
  const { plan } = talk;
  const { agentId } = next;
  const fresh = unheard(lines, rows, agentId);
  if (next.kind === 'choose') {
    const messages = [fromRuntime(talk, choice(plan, { ...next, lines: fresh }))];
    await give(tx, state, { agentId, role: 'choosing', messages, options: { asked: true } });
    return;
  }
  const isFirst = rows.every((row) => row.agent_id !== agentId);
  await give(tx, state, {
    agentId,
    role: 'speaking',
    messages: [...(isFirst ? preface(talk, agentId) : []), ...heard(talk, fresh)],
    options: { asked: true, ...(plan.managerType === 'supervisor' ? { supervises: talk.group_id } : {}) },
  });
}

/** What an agent reads before its first turn of a talk. */
function preface(talk: TalkRow, agentId: string): readonly Incoming[] {
  const { plan } = talk;
  switch (plan.managerType) {
    case 'round_robin':
    case 'dynamic':
      return [fromRuntime(talk, introduction(plan, agentId))];
    case 'supervisor':
      return [fromRuntime(talk, supervision(plan, broadcastTool))];
    case 'sleeptime':
    case 'voice_sleeptime':
      return [];
  }
}

/** A message to add to an agent's transcript. */
interface Incoming {
  readonly body: MessageBody;
  readonly senderId: string | null;
  readonly otid: string | null;
}

// Its sender is the group, so the list of the group's messages leaves it out.
function fromRuntime({ group_id: groupId }: TalkRow, body: MessageBody): Incoming {
  return { body, senderId: groupId, otid: null };
}

function heard(talk: TalkRow, lines: readonly TalkLine[]): readonly Incoming[] {
  return lines.map((line) => {
    const body = heardBody(line);
    switch (line.kind) {
      case 'user':
        return { body, senderId: line.senderId, otid: null };
      case 'agent':
        return { body, senderId: line.speaker.agentId, otid: null };
      case 'note':
        return fromRuntime(talk, body);
    }
  });
}

interface GivenTurn {
  readonly agentId: string;
  readonly role: TalkTurnsTable['role'];
  readonly messages: readonly Incoming[];
  readonly options: TurnOptions;
}

/**
 * Stores a turn of the talk for an agent. Its ids are derived from its place, so a repetition names the same rows.
 */
async function give(tx: Tx, state: TalkState, given: GivenTurn, place = state.rows.length): Promise<void> {
  const { talk, rows, lines, withinMs } = state;
  const { agentId, role, messages, options } = given;
  const { turn } = await enqueueTurn(tx, {
    turnId: derivedId('run', talk.id, place),
    deliveryId: derivedId('delivery', talk.id, place),
    threadId: agentId,
    kind: 'message',
    messages: messages.map((message, index) => ({
      ...message,
      id: derivedId('message', talk.id, place, index),
      createdAt: new Date(),
    })),
    options: { ...optionsOfTurns(talk), ...options },
    requestKey: `${talk.id}:${place}`,
    requestHash: null,
    joinWithinMs: 0,
    steer: false,
  });
  await sql`
    insert into talk_turns (talk_id, ordinal, agent_id, role, turn_id, heard, opens, deadline, stop_reason)
    values (${talk.id}, ${place}, ${agentId}, ${role}, ${turn.id}, ${lines.length},
      ${role === 'speaking' && !rows.some((row) => row.opens)}, now() + ${withinMs} * interval '1 millisecond',
      ${role === 'hearing' ? 'end_turn' : null})`.execute(tx);
  await sql`
    update talks set state = 'running', touched_at = clock_timestamp() where id = ${talk.id}`.execute(tx);
  hint(tx, turnChannel, talk.id);
}

/** Options of the talk's turns. The callback is left out: only the talk's end is reported. */
function optionsOfTurns({ options }: TalkRow): TurnOptions {
  const { callbackUrl: reported, ...own } = options;
  return reported === undefined ? options : own;
}

/**
 * Tells each agent what was said after its own last turn, by a turn without a model call, which queues like any
 * other.
 */
async function tellTheRest(tx: Tx, state: TalkState, there: Living): Promise<void> {
  const { talk, rows, lines, wake } = state;
  const { plan } = talk;
  if (plan.managerType !== 'round_robin' && plan.managerType !== 'dynamic') return;
  let place = rows.length;
  for (const agentId of agentsOf(plan)) {
    const fresh = unheard(lines, rows, agentId);
    if (fresh.length === 0 || !there.has(agentId)) continue;
    const messages = heard(talk, fresh);
    await give(
      tx,
      state,
      { agentId, role: 'hearing', messages, options: { chore: { kind: 'hear' } } },
      place,
    );
    place += 1;
    wake.push(agentId);
  }
}

/**
 * Ends an unfinished talk and notifies those who wait for it. Its copy of the messages is removed: they are in the
 * agents' transcripts, and must not outlive their removal there. If the end must be reported, the talk's last turn
 * is. A talk that was cancelled before its first turn reports nothing.
 */
export async function endTalk(tx: Tx, talkId: string, stopReason: StopReason): Promise<void> {
  await sql`
    with ended as (
      update talks set state = ${finalState(stopReason)}, stop_reason = ${stopReason}, messages = '[]',
        completed_at = clock_timestamp(), touched_at = clock_timestamp()
      where id = ${talkId} and completed_at is null returning id
    )
    update talk_turns set said = '{}' from ended where talk_turns.talk_id = ended.id`.execute(tx);
  await sql`
    with reported as (
      update turns set options = turns.options || jsonb_build_object('callbackUrl', talks.options -> 'callbackUrl')
      from talks where talks.id = ${talkId} and talks.options ? 'callbackUrl' and turns.id = (
        select turn_id from talk_turns where talk_id = ${talkId} and role <> 'hearing' and turn_id is not null
        order by ordinal desc limit 1)
      returning turns.id)
    insert into turn_callbacks (turn_id) select id from reported on conflict do nothing`.execute(tx);
  hint(tx, turnChannel, talkId + endedMark, true);
}
