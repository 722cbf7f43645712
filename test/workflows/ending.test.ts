import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { learnFromRefusal } from '../../activities/turns/learned-window.js';
import { derivedId } from '../../core/ids.js';
import { deleteAgent } from '../../schema/agents/agents.js';
import { claimDelivery } from '../../schema/turns/claims.js';
import { startEffect } from '../../schema/turns/effects.js';
import { listMessages } from '../../schema/threads/messages.js';
import { settleTurn } from '../../schema/turns/settling.js';
import { readThread } from '../../schema/threads/threads.js';
import { appendEvents } from '../../schema/turns/events.js';
import { getTurn, requireTurn } from '../../schema/turns/turns.js';
import { waitFor } from '../../stack/waiting.js';
import { sweep, type Swept } from '../../worker/sweep.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';
import { loadWorkflowBundle } from '../support/runtime/temporal.js';

describe('the end of a turn', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
  });

  afterAll(async () => {
    await runtime.close();
  });

  const send = (threadId: string, content: string) =>
    runtime.turns.send({ threadId, messages: [{ role: 'user', content }] });

  /** A line of the script that answers only when it is released. */
  const held = () => {
    let letGo: (answer: object) => void = () => undefined;
    let reached: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const line = () => {
      reached();
      return new Promise<object>((resolve) => {
        letGo = resolve;
      });
    };
    const answerNow = (answer: object): void => {
      letGo(answer);
    };
    return { line, isAsked, letGo: answerNow };
  };

  const backdate = (turnId: string) =>
    runtime.db
      .updateTable('turns')
      .set({ touched_at: new Date(Date.now() - 60_000) })
      .where('id', '=', turnId)
      .execute();

  it('comes at once on a cancel during a model call, and the thread continues [turn.cancel]', async () => {
    const agent = await runtime.anAgent();
    const call = held();
    models.script(call.line, saying('still here'));
    const worker = await runtime.startWorker();
    const { turn } = await send(agent.id, 'think long');
    await call.isAsked;

    const cancelled = await runtime.turns.cancel(turn.id);
    const { turn: next } = await send(agent.id, 'are you there?');
    call.letGo(saying('too late'));
    const ended = await runtime.turns.result(next.id);
    await worker.stop();

    expect(cancelled).toMatchObject({ state: 'cancelled', stopReason: 'cancelled' });
    expect(ended.state).toBe('completed');
    const transcript = JSON.stringify(await listMessages(runtime.db, { threadId: agent.id }, {}));
    expect(transcript).toContain('still here');
    expect(transcript).not.toContain('too late');
  });

  it('leaves no open tool call after a cancel [turn.closed-calls]', async () => {
    const begun = held();
    const stuck = await startRuntime({
      models: createScriptedModels([
        callOf('archival_memory_insert', { content: 'never stored', request_heartbeat: true }),
      ]),
      embeddings: {
        resolve: (handle) => ({
          description: { handle, provider: 'stuck', model: 'stuck', dimensions: 3 },
          embed: (_texts, options) => {
            void begun.line();
            return new Promise((_, reject) => {
              options?.signal?.addEventListener('abort', () => {
                reject(new Error('aborted'));
              });
            });
          },
        }),
      },
    });
    await stuck.startWorker();
    const agent = await stuck.anAgent();
    const { turn } = await stuck.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'remember' }],
    });
    await begun.isAsked;

    await stuck.turns.cancel(turn.id);
    const results = await listMessages(stuck.db, { threadId: agent.id, kinds: ['tool'] }, {});
    await stuck.close();

    expect(results.map((message) => message.body)).toEqual([
      expect.objectContaining({ status: 'error', content: expect.stringContaining('cancelled') }),
    ]);
  });

  it('comes on a cancel without a running worker [turn.cancel-without-worker]', async () => {
    const agent = await runtime.anAgent();
    const { turn } = await send(agent.id, 'nobody listens');

    const cancelled = await runtime.turns.cancel(turn.id);
    const again = await runtime.turns.cancel(turn.id);

    expect(cancelled).toMatchObject({ state: 'cancelled', stopReason: 'cancelled' });
    expect(again).toEqual(cancelled);
  });

  it('comes when the execution itself is cancelled, and the next turn runs [turn.cancel]', async () => {
    const agent = await runtime.anAgent();
    const call = held();
    models.script(call.line, saying('next one'));
    const worker = await runtime.startWorker();
    const { turn } = await send(agent.id, 'first');
    await call.isAsked;
    const { turn: next } = await send(agent.id, 'second');

    await runtime.temporal.workflow.getHandle(agent.id).cancel();
    const cancelled = await runtime.turns.result(turn.id);
    call.letGo(saying('too late'));
    const ended = await runtime.turns.result(next.id);
    await worker.stop();

    expect(cancelled).toMatchObject({ state: 'cancelled', stopReason: 'cancelled' });
    expect(ended.state).toBe('completed');
  });

  it('waits for the turn to be resumed after its execution was terminated [turn.resume] [turn.sweep]', async () => {
    const agent = await runtime.anAgent();
    const call = held();
    const asked = models.requests.length;
    models.script(
      callOf('core_memory_append', { label: 'human', content: 'once', request_heartbeat: true }),
      call.line,
      saying('resumed'),
    );
    const worker = await runtime.startWorker();
    const { turn } = await send(agent.id, 'go on whatever happens');
    await call.isAsked;

    await runtime.temporal.workflow.getHandle(agent.id).terminate('lost');
    await backdate(turn.id);
    const woken = await sweep(runtime);
    const ended = await runtime.turns.result(turn.id);
    call.letGo(saying('of a dead execution'));
    await worker.stop();

    expect(woken).toEqual({ threads: 1, files: 0 });
    expect(ended).toMatchObject({ state: 'completed', steps: 2 });
    expect(models.requests.length).toBe(asked + 3);
    const transcript = JSON.stringify(await listMessages(runtime.db, { threadId: agent.id }, {}));
    expect(transcript.match(/once/g)?.length).toBe(2);
    expect(transcript).not.toContain('of a dead execution');
  });

  it('is abandonment after three resumptions without a new step, and the thread moves on [turn.abandoned]', async () => {
    const agent = await runtime.anAgent();
    const { turn } = await send(agent.id, 'poison');
    const { turn: next } = await send(agent.id, 'after it');
    const claims = [];
    for (let execution = 0; execution <= 4; execution += 1) {
      claims.push(
        await claimDelivery(runtime.db, { threadId: agent.id, executionId: `dead-${execution}`, ordinal: 0 }),
      );
    }

    expect(claims.map((claim) => claim?.turnId)).toEqual([turn.id, turn.id, turn.id, turn.id, next.id]);
    expect(await requireTurn(runtime.db, turn.id)).toMatchObject({
      state: 'failed',
      stopReason: 'error',
      error: { type: 'Turn.Abandoned' },
    });
    await runtime.turns.cancel(next.id);
  });

  it('refuses writes of another execution [turn.fence]', async () => {
    const agent = await runtime.anAgent();
    const { turn } = await send(agent.id, 'mine');
    await claimDelivery(runtime.db, { threadId: agent.id, executionId: 'old', ordinal: 0 });
    await claimDelivery(runtime.db, { threadId: agent.id, executionId: 'new', ordinal: 0 });
    const event = { kind: 'step_started' as const, stepId: 'step', step: 0 };

    const zombie = await appendEvents(runtime.db, { turnId: turn.id, executionId: 'old' }, [event]);
    const owner = await appendEvents(runtime.db, { turnId: turn.id, executionId: 'new' }, [event]);
    const late = await settleTurn(runtime.db, {
      turnId: turn.id,
      executionId: 'old',
      stopReason: 'end_turn',
    });
    await settleTurn(runtime.db, { turnId: turn.id, executionId: 'new', stopReason: 'end_turn' });
    const afterEnd = await appendEvents(runtime.db, { turnId: turn.id, executionId: 'new' }, [event]);

    expect({ zombie, owner, late, afterEnd }).toEqual({
      zombie: false,
      owner: true,
      late: false,
      afterEnd: false,
    });
  });

  it('stores nothing that a dead execution starts or learns [turn.small-fences]', async () => {
    const agent = await runtime.anAgent();
    const { turn } = await send(agent.id, 'mine');
    await claimDelivery(runtime.db, { threadId: agent.id, executionId: 'living', ordinal: 0 });
    const [dead, alive] = ['dead', 'living'].map((executionId) => ({ turnId: turn.id, executionId }));
    const effect = await aPlannedEffect(turn.id, agent.id);
    const window = { threadId: agent.id, model: agent.model, tokens: 50_000 };

    const begunByDead = await startEffect(runtime.db, dead!, effect);
    await expect(learnFromRefusal(runtime.db, dead!, window)).rejects.toMatchObject({ type: 'Turn.Fenced' });
    const begun = await startEffect(runtime.db, alive!, effect);
    const begunAgain = await startEffect(runtime.db, alive!, effect);
    const untouched = await readThread(runtime.db, agent.id);
    await learnFromRefusal(runtime.db, alive!, window);

    expect([begunByDead, begun?.before, begunAgain?.before]).toEqual([undefined, 'planned', 'started']);
    expect(untouched?.learned).toBeNull();
    expect((await readThread(runtime.db, agent.id))?.learned).toMatchObject({ model: agent.model });
    await runtime.turns.cancel(turn.id);
  });

  async function aPlannedEffect(turnId: string, agentId: string): Promise<string> {
    const [stepId, effectId] = [derivedId('step', turnId, 0), derivedId('effect', turnId, 0, 0)];
    await runtime.db
      .insertInto('steps')
      .values({
        id: stepId,
        turn_id: turnId,
        thread_id: agentId,
        agent_id: agentId,
        index: 0,
        state: 'answered',
        model: 'm',
      })
      .execute();
    await runtime.db
      .insertInto('effects')
      .values({
        id: effectId,
        turn_id: turnId,
        step_id: stepId,
        index: 0,
        tool_call_id: 'call',
        tool_name: 'archival_memory_insert',
        arguments: '{}',
        request_heartbeat: false,
        state: 'planned',
        result_message_id: derivedId('message', turnId, 0, 'result', 0),
      })
      .execute();
    return effectId;
  }

  it('has a stop reason if the model does not answer in time [turn.deadline]', async () => {
    const slow = await startRuntime({ models: createScriptedModels([held().line]), modelTimeoutMs: 1_000 });
    await slow.startWorker();
    const agent = await slow.anAgent();

    const turn = await slow.tell(agent, 'Hello?');
    await slow.close();

    expect(turn).toMatchObject({
      state: 'failed',
      stopReason: 'llm_api_error',
      error: { type: 'Model.Timeout', message: expect.stringMatching(/MODEL_TIMEOUT_MS/) },
    });
  });

  it('comes after a bad deploy is rolled back: the turn is resumed in a new execution [turn.nondeterminism]', async () => {
    const agent = await runtime.anAgent();
    const call = held();
    models.script(
      callOf('core_memory_append', { label: 'human', content: 'before the deploy', request_heartbeat: true }),
      call.line,
      saying('after the deploy'),
    );
    const { code } = loadWorkflowBundle();
    const good = await runtime.startWorker();
    const { turn } = await send(agent.id, 'deploy under me');
    await call.isAsked;
    await good.stop();

    // The same workflow with its activities in another order does not match the history.
    const bad = await runtime.startWorker({
      bundle: {
        code: code.replaceAll("'callModel'", "'settleTurn'").replaceAll('"callModel"', '"settleTurn"'),
      },
    });
    const failed = await waitFor(
      async () => {
        const found = await runtime.temporal.workflow.getHandle(agent.id).describe();
        return found.status.name === 'FAILED' ? true : undefined;
      },
      { timeoutMs: 90_000, everyMs: 100 },
    );
    await bad.stop();
    const worker = await runtime.startWorker();
    await backdate(turn.id);
    await sweep(runtime);
    const ended = await runtime.turns.result(turn.id);
    await worker.stop();

    expect(failed).toBe(true);
    expect(ended).toMatchObject({ state: 'completed', steps: 2 });
  });

  it('leaves no rows of an agent some time after its deletion [rest.deleted-agent]', async () => {
    const agent = await runtime.anAgent();
    const { turn } = await send(agent.id, 'last words');
    await deleteAgent(runtime.db, agent.id);
    await runtime.db
      .updateTable('agents')
      .set({ deleted_at: new Date(Date.now() - 120_000) })
      .where('id', '=', agent.id)
      .execute();

    await sweep(runtime);

    expect(await getTurn(runtime.db, turn.id)).toBeUndefined();
  });

  it('is swept without an open transaction, and a failing bell does not stop the others [turn.sweep-faults]', async () => {
    const agents = [await runtime.anAgent(), await runtime.anAgent()];
    const sent = await Promise.all(agents.map((agent) => send(agent.id, 'unheard')));
    await Promise.all(agents.map((agent) => runtime.temporal.workflow.getHandle(agent.id).terminate('lost')));
    await runtime.db
      .updateTable('deliveries')
      .set({ created_at: new Date(Date.now() - 60_000) })
      .where('turn_id', 'in', [...sent.map(({ turn }) => turn.id)])
      .execute();
    const rung: string[] = [];
    const failures: unknown[] = [];
    const idle: number[] = [];
    let other: Swept | undefined;
    const bell = {
      ...runtime.bell,
      ring: async ({ threadId }: { threadId: string }) => {
        rung.push(threadId);
        idle.push(await idleTransactions());
        other ??= await sweep(runtime);
        if (rung.length === 1) throw new Error('Temporal is away');
      },
    };

    const woken = await sweep({ ...runtime, bell, onFailed: (error) => failures.push(error) });

    expect(rung.sort()).toEqual(agents.map(({ id }) => id).sort());
    expect({ woken: woken.threads, other, idle }).toEqual({
      woken: 1,
      other: { threads: 0, files: 0 },
      idle: [0, 0],
    });
    expect(failures).toEqual([new Error('Temporal is away')]);
    await Promise.all(sent.map(({ turn }) => runtime.turns.cancel(turn.id)));
  });

  async function idleTransactions(): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*) from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`.execute(runtime.db);
    return rows[0]?.count ?? NaN;
  }

  it('is reached after the sweep wakes a thread whose bell was lost [turn.sweep]', async () => {
    const agent = await runtime.anAgent();
    const { turn } = await send(agent.id, 'unheard');
    await runtime.temporal.workflow.getHandle(agent.id).terminate('the bell is lost with it');
    await runtime.db
      .updateTable('deliveries')
      .set({ created_at: new Date(Date.now() - 60_000) })
      .where('turn_id', '=', turn.id)
      .execute();
    models.script(saying('heard after all'));
    const worker = await runtime.startWorker();

    await sweep(runtime);
    const ended = await runtime.turns.result(turn.id);
    await worker.stop();

    expect(ended.state).toBe('completed');
  });
});
