import { type Selectable, sql } from 'kysely';
import type { StopReason, TurnState } from '../../core/turns/stop-reasons.js';
import { needsNote, type TalkLine } from '../../core/groups/talk-messages.js';
import type { EndedTalkTurn, Participant, TalkMessage, TalkPlan } from '../../core/groups/talks.js';
import type { Db, Tx } from '../db/database.js';
import { listSpeakingTools } from '../tools/extension-tools.js';
import { settleTurn } from '../turns/settling.js';
import type { TalkTurnsTable } from './tables.js';
import { wordsOfTurn } from '../turns/spoken-words.js';

/** The row of a turn that a talk gave to an agent. */
export type TalkTurnRow = Selectable<TalkTurnsTable>;

/** A talk's turns, in order. */
export async function readTalkTurns(db: Db | Tx, talkId: string): Promise<readonly TalkTurnRow[]> {
  return db.selectFrom('talk_turns').selectAll().where('talk_id', '=', talkId).orderBy('ordinal').execute();
}

/** A turn of a talk in which an agent may speak. */
export interface TalkTurn {
  readonly turnId: string;
  readonly agentId: string;
  /** How it ended; null: not yet. */
  readonly stopReason: StopReason | null;
}

/** The turns of a talk so far, in order, except those in which the agent only listens. */
export async function listTalkTurns(db: Db | Tx, talkId: string): Promise<readonly TalkTurn[]> {
  return (await readTalkTurns(db, talkId)).flatMap(
    ({ role, turn_id: turnId, agent_id: agentId, stop_reason: stopReason }) =>
      role === 'hearing' || turnId === null ? [] : [{ turnId, agentId, stopReason }],
  );
}

/** The turn that a talk waits for. */
export interface AwaitedTurn {
  readonly turnId: string;
  readonly agentId: string;
  /** Whether no worker has begun it, so that its thread may have to be woken. */
  readonly isIdle: boolean;
  /** How long the talk still waits for it, in ms. */
  readonly waitMs: number;
}

/**
 * Records how a talk's turn ended and what was said in it. An overdue turn is cancelled; one that was purged with its
 * agent counts as cancelled. Returns the turn where it has not ended.
 */
export async function closeTalkTurn(tx: Tx, row: TalkTurnRow): Promise<AwaitedTurn | undefined> {
  const { turn_id: turnId, agent_id: agentId } = row;
  if (turnId === null) return end(tx, row, 'cancelled', []);
  const read = (): Promise<TurnEnd | undefined> => readEnd(tx, turnId);
  let turn = await read();
  if (turn?.stopReason === null && turn.waitMs <= 0) {
    await settleTurn(tx, { turnId, stopReason: 'cancelled' });
    turn = await read();
  }
  if (turn === undefined) return end(tx, row, 'cancelled', []);
  const { waitMs, state } = turn;
  if (turn.stopReason === null) return { turnId, agentId, waitMs, isIdle: state === 'created' };
  return end(tx, row, turn.stopReason, await wordsOfTurn(tx, turnId, await listSpeakingTools(tx)));
}

interface TurnEnd {
  readonly state: TurnState;
  readonly stopReason: StopReason | null;
  readonly waitMs: number;
}

async function readEnd(tx: Tx, turnId: string): Promise<TurnEnd | undefined> {
  const result = await sql<TurnEnd>`
    select t.state, t.stop_reason as "stopReason",
      greatest(0, extract(epoch from tt.deadline - now()) * 1000)::float8 as "waitMs"
    from turns t join talk_turns tt on tt.turn_id = t.id
    where t.id = ${turnId}`.execute(tx);
  return result.rows[0];
}

async function end(
  tx: Tx,
  row: TalkTurnRow,
  stopReason: StopReason,
  said: readonly string[],
): Promise<undefined> {
  await tx
    .updateTable('talk_turns')
    .set({ stop_reason: stopReason, said: [...said] })
    .where('talk_id', '=', row.talk_id)
    .where('ordinal', '=', row.ordinal)
    .execute();
  return undefined;
}

/** The input of `decideTalk`: ended turns, except those in which the agent only listened. */
export function toEndedTurns(rows: readonly TalkTurnRow[]): readonly EndedTalkTurn[] {
  return rows.flatMap(({ role, agent_id: agentId, said, stop_reason: stopReason }) =>
    role === 'hearing' || stopReason === null ? [] : [{ agentId, role, said, stopReason }],
  );
}

/** All that was said in a talk so far, in order, without the manager's choices of speakers. */
export function linesOf(
  plan: TalkPlan,
  messages: readonly TalkMessage[],
  turns: readonly EndedTalkTurn[],
): readonly TalkLine[] {
  return [
    ...messages.map(({ body, senderId }) => ({ kind: 'user' as const, body, senderId })),
    ...turns.flatMap((turn) => (turn.role === 'speaking' ? spokenLines(plan, turn) : [])),
  ];
}

function spokenLines(plan: TalkPlan, { agentId, said, stopReason }: EndedTalkTurn): readonly TalkLine[] {
  const speaker = findParticipant(plan, agentId);
  return [
    ...said.map((text) => ({ kind: 'agent' as const, speaker, text })),
    ...(needsNote(stopReason) ? [{ kind: 'note' as const, about: speaker, stopReason }] : []),
  ];
}

/** How others see an agent. A leading manager is known by its id only. */
export function findParticipant(plan: TalkPlan, agentId: string): Participant {
  const known = plan.participants.find((one) => one.agentId === agentId);
  return known ?? { agentId, name: agentId, description: null };
}

/** What an agent has not heard of a talk: all lines after its last turn, except its own. */
export function unheard(
  lines: readonly TalkLine[],
  rows: readonly TalkTurnRow[],
  agentId: string,
): readonly TalkLine[] {
  const heard = rows.findLast((row) => row.agent_id === agentId)?.heard ?? 0;
  return lines.slice(heard).filter((line) => speakerOf(line) !== agentId);
}

function speakerOf(line: TalkLine): string | null {
  switch (line.kind) {
    case 'user':
      return null;
    case 'agent':
      return line.speaker.agentId;
    case 'note':
      return line.about.agentId;
  }
}
