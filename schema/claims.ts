import { sql } from 'kysely';
import type { AgentType } from '../core/agents.js';
import type { ChoreKind } from '../core/chores.js';
import { supervisingRules } from '../core/supervising.js';
import type { ToolRule } from '../core/tool-rules.js';
import { usualMaxSteps } from '../core/turn.js';
import { isTakeable } from './awaiting.js';
import { type Db, inTransactionWithLast, type Tx, type WithLast } from './database.js';
import { settleTurn } from './settling.js';
import { lockThread, type Thread } from './threads.js';
import { placeIncoming } from './transcript.js';
import { takeFromWorkers } from './work-in-hand.js';

/** Resumptions without a new step after which a turn is given up, so that its thread moves on. */
const maxResumptions = 3;

/** A delivery that an execution has taken, and what its turn needs to know of the agent. */
export interface Claim {
  readonly turnId: string;
  readonly agentId: string;
  readonly agentType: AgentType;
  readonly toolRules: readonly ToolRule[];
  readonly maxSteps: number;
  /** Another agent's tool call, or a group's talk, waits for the turn's end. */
  readonly asked: boolean;
  /** It was sent to decide about calls that wait. */
  readonly approves: boolean;
  /** What it does to its thread instead of thinking. */
  readonly chore: ChoreKind | null;
  /** Its turn was begun by an execution that is no more. */
  readonly resumed: boolean;
  /** For how long its turn has been running, in ms. */
  readonly ageMs: number;
}

/** Whose deliveries, and which execution takes one as its how manieth. */
export interface ClaimInput {
  readonly threadId: string;
  readonly executionId: string;
  readonly ordinal: number;
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
  readonly tool_rules: ToolRule[];
  readonly max_steps: number;
  readonly asked: boolean;
  readonly approves: boolean;
  readonly chore: ChoreKind | null;
  readonly leads: boolean;
  readonly age_ms: number;
}

/**
 * Takes the thread's oldest unfinished delivery for an execution, and gives its messages their place in the
 * transcript. Undefined where nothing waits.
 *
 * 1. Asked again with the same execution and ordinal, it returns what it took the first time.
 * 2. A turn that is `running` under an execution that is no more is taken over: its writes are fenced to the new
 *    execution from here on. After three such resumptions without a new step the turn fails as abandoned.
 * 3. The caller is the thread's one open execution (the workflow id is the thread's id), so whoever held an
 *    unfinished delivery before is dead.
 */
export async function claimDelivery(db: Db, input: ClaimInput): Promise<Claim | undefined> {
  return inTransactionWithLast(db, async (tx): Promise<WithLast<Claim | undefined>> => {
    const taken = await beginClaim(tx, input);
    return { last: Promise.resolve(taken?.written).then(() => taken?.claim) };
  });
}

/** A claim in the caller's transaction, which commits once what it has begun to write is written. */
interface BegunClaim {
  readonly claim: Claim;
  readonly written: Promise<unknown>;
}

/** As `claimDelivery`; statements that follow in the transaction find the delivery taken. */
export async function beginClaim(tx: Tx, input: ClaimInput): Promise<BegunClaim | undefined> {
  for (;;) {
    // Run in this order: the queue is read with the thread locked.
    const [thread, delivery] = await Promise.all([
      lockThread(tx, input.threadId),
      oldestUnfinished(tx, input),
    ]);
    if (thread === undefined || delivery === undefined) return undefined;
    const claim = toClaim(delivery, thread);
    if (delivery.mine) return { claim, written: Promise.resolve() };
    if (isHopeless(delivery)) {
      await abandon(tx, delivery);
      continue;
    }
    const written = Promise.all([take(tx, delivery, input), placeIncoming(tx, thread, delivery.turn_id)]);
    // Its failure is told to whoever waits for it; what follows may fail before.
    written.catch(() => undefined);
    return { claim, written };
  }
}

async function oldestUnfinished(tx: Tx, input: ClaimInput): Promise<OpenDelivery | undefined> {
  const result = await sql<OpenDelivery>`
    select d.id, d.turn_id, d.state, t.steps, t.resumptions, t.resumed_at_step,
      coalesce(d.claimed_by = ${input.executionId} and d.claim_ordinal = ${input.ordinal}, false) as mine,
      a.agent_type, a.tool_rules,
      least(coalesce((t.options->>'maxSteps')::numeric, ${usualMaxSteps}), 2147483647)::int as max_steps,
      coalesce((t.options->>'asked')::boolean, false) as asked,
      t.options ? 'supervises' as leads, d.kind = 'approval' as approves, t.options->'chore'->>'kind' as chore,
      coalesce(extract(epoch from clock_timestamp() - t.started_at) * 1000, 0)::float as age_ms
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
      message: `The turn was resumed ${maxResumptions} times without getting further, and was given up. Send the message again.`,
    },
  });
}

async function take(tx: Tx, delivery: OpenDelivery, input: ClaimInput): Promise<void> {
  const resumed = delivery.state === 'claimed';
  const gotFurther = delivery.steps > delivery.resumed_at_step;
  const resumptions = !resumed ? delivery.resumptions : gotFurther ? 1 : delivery.resumptions + 1;
  const taken = sql`
    with taken as (
      update deliveries set state = 'claimed', claimed_by = ${input.executionId}, claim_ordinal = ${input.ordinal}
      where id = ${delivery.id}
    )
    update turns set state = 'running', execution_id = ${input.executionId}, touched_at = now(),
      started_at = coalesce(started_at, clock_timestamp()), resumptions = ${resumptions},
      resumed_at_step = ${resumed ? delivery.steps : delivery.resumed_at_step}
    where id = ${delivery.turn_id} and state in ('created', 'running')`.execute(tx);
  // What comes of the dead execution's work is turned away: nobody is to wait for it.
  await Promise.all([taken, resumed ? takeFromWorkers(tx, delivery.turn_id) : undefined]);
}

function toClaim(delivery: OpenDelivery, thread: Thread): Claim {
  return {
    turnId: delivery.turn_id,
    agentId: thread.agentId,
    agentType: delivery.agent_type,
    toolRules: delivery.leads ? supervisingRules(delivery.tool_rules) : delivery.tool_rules,
    maxSteps: delivery.max_steps,
    asked: delivery.asked,
    approves: delivery.approves,
    chore: delivery.chore,
    resumed: delivery.resumptions > 0 || (delivery.state === 'claimed' && !delivery.mine),
    ageMs: delivery.age_ms,
  };
}
