import { sql } from 'kysely';
import type { AgentType } from '../../core/agents/agents.js';
import type { ChoreKind } from '../../core/turns/chores.js';
import { supervisingRules } from '../../core/tools/supervising.js';
import type { ToolRule } from '../../core/agents/tool-rules.js';
import { usualMaxSteps } from '../../core/turns/turn.js';
import { isTakeable } from './awaiting.js';
import { type Db, inTransaction, type Tx, withoutDisk } from '../db/database.js';
import { lastStatements } from '../db/last-statements.js';
import { settleTurn } from './settling.js';
import { clearQueue, lockThread, type Thread } from '../threads/threads.js';
import { placeIncoming } from '../threads/transcript.js';

/** After this many resumptions without a new step, a turn is given up, so that its thread moves on. */
const maxResumptions = 3;

/** A claimed delivery, and what its turn needs to know of the agent. */
export interface TakenDelivery {
  readonly turnId: string;
  readonly agentId: string;
  readonly agentType: AgentType;
  /** The handle of the model at the turn's beginning. */
  readonly model: string;
  readonly toolRules: readonly ToolRule[];
  readonly maxSteps: number;
  /** Whether another agent's tool call, or a group's talk, waits for the turn's end. */
  readonly asked: boolean;
  /** Whether it carries decisions about waiting calls. */
  readonly approves: boolean;
  /** Its chore, if it does not call the agent's model. */
  readonly chore: ChoreKind | null;
  /** Null: no step was answered yet. */
  readonly begun: BegunTurn | null;
}

/** The progress of a turn in earlier executions. */
export interface BegunTurn {
  /** Its last answered step, from 0. */
  readonly index: number;
  /** Tools that were called before that step and that a rule requires, without repetitions. */
  readonly earlierCalls: readonly string[];
}

/** A claim: for which thread, by which execution, and the number of the claim. */
export interface ClaimInput {
  readonly threadId: string;
  readonly executionId: string;
  /** From 0. */
  readonly ordinal: number;
  /** The key of the worker that runs the execution, so that others can see its death. */
  readonly workerKey?: number;
}

interface OpenDelivery {
  readonly id: string;
  readonly turn_id: string;
  readonly state: string;
  readonly mine: boolean;
  readonly steps: number;
  readonly resumptions: number;
  readonly resumed_at_step: number;
  readonly agent_type: AgentType;
  readonly model: string;
  readonly tool_rules: ToolRule[];
  readonly max_steps: number;
  readonly asked: boolean;
  readonly approves: boolean;
  readonly chore: ChoreKind | null;
  readonly leads: boolean;
  /** Whether the agent begins each turn with an empty context. */
  readonly forgets: boolean;
}

/**
 * Claims the thread's oldest unfinished delivery for an execution, and places its messages in the transcript.
 * Undefined where nothing waits.
 * 1. The same execution and ordinal again return the first claim.
 * 2. A turn that is `running` under a dead execution is taken over: from now on, only the new execution may write for
 *    it. After three such resumptions without a new step the turn fails as abandoned.
 * 3. The caller is the thread's only open execution (the workflow id is the thread's id), so the execution that held
 *    an unfinished delivery is dead.
 */
export async function claimDelivery(db: Db, input: ClaimInput): Promise<TakenDelivery | undefined> {
  return inTransaction<TakenDelivery | undefined>(db, async (tx) => {
    for (;;) {
      // Run in this order: the queue is read with the thread locked. If a crash loses the claim, it is made again.
      const [, thread, delivery] = await Promise.all([
        withoutDisk(tx),
        lockThread(tx, input.threadId),
        oldestUnfinished(tx, input),
      ]);
      if (thread === undefined || delivery === undefined) return undefined;
      if (!delivery.mine && isHopeless(delivery)) {
        await abandon(tx, delivery);
        continue;
      }
      const taken = toTaken(delivery, thread);
      const answers = Promise.all([
        delivery.steps === 0 ? null : findBegun(tx, taken),
        ...(isFresh(delivery) ? [clearQueue(tx, thread.id)] : []),
        ...(delivery.mine ? [] : [take(tx, delivery, input), placeIncoming(tx, thread, delivery.turn_id)]),
      ]);
      return lastStatements(answers.then(([begun]) => ({ ...taken, begun })));
    }
  });
}

/** Whether the turn begins with an empty context. A turn with decisions about calls never does. */
function isFresh({ forgets, mine, state, approves, chore }: OpenDelivery): boolean {
  return forgets && !mine && state === 'waiting' && !approves && chore === null;
}

/** The progress of the turn, from its last answered step. Reads few rows, however many steps there were. */
async function findBegun(
  tx: Tx,
  { turnId, toolRules }: Pick<TakenDelivery, 'turnId' | 'toolRules'>,
): Promise<BegunTurn | null> {
  const required = toolRules.flatMap(({ kind, tool }) => (kind === 'required_before_exit' ? [tool] : []));
  const { rows } = await sql<{ index: number; earlierCalls: string[] }>`
    select last.index, array(
      select distinct tool_name from effects
      where turn_id = ${turnId} and step_id <> last.id and tool_name = any(${required}::text[])
    ) as "earlierCalls"
    from (
      select id, index from steps where turn_id = ${turnId} and state = 'answered' order by index desc limit 1
    ) as last`.execute(tx);
  return rows[0] ?? null;
}

async function oldestUnfinished(tx: Tx, input: ClaimInput): Promise<OpenDelivery | undefined> {
  const result = await sql<OpenDelivery>`
    select d.id, d.turn_id, d.state, t.steps, t.resumptions, t.resumed_at_step,
      coalesce(d.claimed_by = ${input.executionId} and d.claim_ordinal = ${input.ordinal}, false) as mine,
      a.agent_type, a.tool_rules,
      coalesce(t.options->>'overrideModel', case when not th.is_default then th.extras->>'model' end, a.model) as model,
      least(coalesce((t.options->>'maxSteps')::numeric, ${usualMaxSteps}), 2147483647)::int as max_steps,
      coalesce((t.options->>'asked')::boolean, false) as asked,
      t.options ? 'supervises' as leads, d.kind = 'approval' as approves, t.options->'chore'->>'kind' as chore,
      coalesce((a.extras->>'message_buffer_autoclear')::boolean, false) as forgets
    from deliveries d join turns t on t.id = d.turn_id join agents a on a.id = t.agent_id
      join threads th on th.id = d.thread_id
    where d.thread_id = ${input.threadId}
      and (d.state = 'claimed' or (d.state = 'waiting' and ${isTakeable})
        or (d.claimed_by = ${input.executionId} and d.claim_ordinal = ${input.ordinal}))
    order by mine desc, d.seq limit 1`.execute(tx);
  return result.rows[0];
}

function isHopeless(delivery: OpenDelivery): boolean {
  return (
    delivery.state === 'claimed' &&
    delivery.resumptions >= maxResumptions &&
    delivery.steps <= delivery.resumed_at_step
  );
}

async function abandon(tx: Tx, delivery: OpenDelivery): Promise<void> {
  await settleTurn(tx, {
    turnId: delivery.turn_id,
    stopReason: 'error',
    error: {
      type: 'Turn.Abandoned',
      message: `The turn was resumed ${maxResumptions} times without progress and was given up. Send the message again.`,
    },
  });
}

async function take(tx: Tx, delivery: OpenDelivery, input: ClaimInput): Promise<void> {
  const resumed = delivery.state === 'claimed';
  const gotFurther = delivery.steps > delivery.resumed_at_step;
  const resumptions = !resumed ? delivery.resumptions : gotFurther ? 1 : delivery.resumptions + 1;
  await sql`
    with taken as (
      update deliveries set state = 'claimed', claimed_by = ${input.executionId}, claim_ordinal = ${input.ordinal}
      where id = ${delivery.id}
    )
    update turns set state = 'running', execution_id = ${input.executionId}, worker = ${input.workerKey ?? null},
      touched_at = now(), started_at = coalesce(started_at, clock_timestamp()), resumptions = ${resumptions},
      resumed_at_step = ${resumed ? delivery.steps : delivery.resumed_at_step}
    where id = ${delivery.turn_id} and state in ('created', 'running')`.execute(tx);
}

function toTaken(delivery: OpenDelivery, thread: Thread): Omit<TakenDelivery, 'begun'> {
  return {
    turnId: delivery.turn_id,
    agentId: thread.agentId,
    agentType: delivery.agent_type,
    model: delivery.model,
    toolRules: delivery.leads ? supervisingRules(delivery.tool_rules) : delivery.tool_rules,
    maxSteps: delivery.max_steps,
    asked: delivery.asked,
    approves: delivery.approves,
    chore: delivery.chore,
  };
}
