import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimDelivery } from '../../schema/turns/claims.js';
import { listMessages } from '../../schema/threads/messages.js';
import { settleTurn } from '../../schema/turns/settling.js';
import { getTurn } from '../../schema/turns/turns.js';
import { waitFor } from '../../stack/waiting.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { createScriptedModels, saying } from '../support/models/scripted-model.js';

describe('the queue of a thread', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
  });

  afterAll(async () => {
    await runtime.close();
  });

  const send = (threadId: string, content: string, more = {}) =>
    runtime.turns.send({ threadId, messages: [{ role: 'user', content }], ...more });

  it('runs turns one at a time in order, each seeing only what came before [queue.order] [turn.position]', async () => {
    const agent = await runtime.anAgent();
    const asked = models.requests.length;
    models.script(saying('one'), saying('two'), saying('three'));
    const sent = [
      await send(agent.id, 'first'),
      await send(agent.id, 'second'),
      await send(agent.id, 'third'),
    ];
    const worker = await runtime.startWorker();

    const ended = await Promise.all(sent.map(({ turn }) => runtime.turns.result(turn.id)));
    await worker.stop();

    expect(ended.map((turn) => turn.state)).toEqual(['completed', 'completed', 'completed']);
    const seen = models.requests
      .slice(asked)
      .map((request) => JSON.stringify(request.messages).match(/first|second|third/g));
    expect(seen).toEqual([['first'], ['first', 'second'], ['first', 'second', 'third']]);
    const messages = await listMessages(runtime.db, { threadId: agent.id }, {});
    expect(messages.map((message) => message.position)).toEqual(messages.map((_, index) => index + 1));
  });

  it('gives each turn its own execution under the thread’s id [queue.execution-each]', async () => {
    const agent = await runtime.anAgent();
    const slowly = async () => {
      // Longer than the minimum age for continue-as-new, so that the next turn gets its own execution.
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      return saying('done');
    };
    models.script(slowly, saying('done'));
    const worker = await runtime.startWorker();
    const first = await send(agent.id, 'one');
    const second = await send(agent.id, 'two');
    await runtime.turns.result(first.turn.id);
    await runtime.turns.result(second.turn.id);
    const executions = await waitFor(
      async () => {
        const found: string[] = [];
        for await (const { runId, status } of runtime.temporal.workflow.list({
          query: `WorkflowId = '${agent.id}'`,
        })) {
          if (status.name !== 'RUNNING') found.push(runId);
        }
        return found.length === 2 ? found : undefined;
      },
      { timeoutMs: 90_000, everyMs: 100 },
    );
    await worker.stop();

    expect(executions).toHaveLength(2);
  });

  it('returns the same claim when asked again, and none without waiting work [queue.claim-once]', async () => {
    const agent = await runtime.anAgent();
    const { turn } = await send(agent.id, 'claim me');
    const claim = { threadId: agent.id, executionId: 'execution-a', ordinal: 0 };

    const once = await claimDelivery(runtime.db, claim);
    const again = await claimDelivery(runtime.db, claim);
    await settleTurn(runtime.db, { turnId: turn.id, stopReason: 'end_turn' });
    const next = await claimDelivery(runtime.db, { ...claim, ordinal: 1 });

    expect(once?.turnId).toBe(turn.id);
    expect(again).toEqual(once);
    expect(next).toBeUndefined();
  });

  it('does nothing for a bell without work or a second bell [queue.idle-bell]', async () => {
    const agent = await runtime.anAgent();
    const asked = models.requests.length;
    models.script(saying('only once'));
    const worker = await runtime.startWorker();

    await runtime.bell.ring({ threadId: agent.id, agentId: agent.id });
    const { turn } = await send(agent.id, 'work');
    await runtime.bell.ring({ threadId: agent.id, agentId: agent.id });
    await runtime.turns.result(turn.id);
    await runtime.bell.ring({ threadId: agent.id, agentId: agent.id });
    await waitFor(async () => ((await runtime.bell.isAwake(agent.id)) ? undefined : true), {
      timeoutMs: 90_000,
      everyMs: 50,
    });
    await worker.stop();

    expect(models.requests.length).toBe(asked + 1);
    expect(await listMessages(runtime.db, { threadId: agent.id }, {})).toHaveLength(3);
  });

  it('loses no message that arrives while an execution is closing [queue.no-loss]', async () => {
    const agent = await runtime.anAgent();
    const asked = models.requests.length;
    const count = 24;
    models.script(...Array.from({ length: count }, () => saying('ok')));
    const worker = await runtime.startWorker();

    for (let index = 0; index < count; index += 1) {
      const { turn } = await send(agent.id, `message ${index}`);
      // Every other message is sent while the previous turn is closing.
      if (index % 2 === 1) await runtime.turns.result(turn.id);
    }
    const last = await waitFor(() => (models.requests.length === asked + count ? true : undefined), {
      timeoutMs: 90_000,
      everyMs: 50,
    });
    await worker.stop();

    expect(last).toBe(true);
    const messages = await listMessages(runtime.db, { threadId: agent.id, kinds: ['user'] }, {});
    expect(messages.map((message) => JSON.stringify(message.body).match(/message (\d+)/)?.[1])).toEqual(
      Array.from({ length: count }, (_, index) => String(index)),
    );
  });

  it('returns the first turn for a repeated idempotency key or a joined retry [turn.idempotent-send]', async () => {
    const agent = await runtime.anAgent();

    const keyed = await send(agent.id, 'once', { requestKey: 'key-1', requestHash: 'hash-1' });
    const again = await send(agent.id, 'once', { requestKey: 'key-1' });
    const joined = await send(agent.id, 'once', { requestHash: 'hash-1', joinWithinMs: 60_000 });
    const blind = await send(agent.id, 'once', { requestHash: 'hash-1' });

    expect(again).toMatchObject({ repeated: true, turn: { id: keyed.turn.id } });
    expect(joined).toMatchObject({ repeated: true, turn: { id: keyed.turn.id } });
    expect(blind.repeated).toBe(false);
    await Promise.all([keyed, blind].map(({ turn }) => runtime.turns.cancel(turn.id)));
  });

  it('joins a retry only to a turn within the time of its first attempt [turn.join-window]', async () => {
    const agent = await runtime.anAgent();
    const retry = () => send(agent.id, 'ok', { requestHash: 'hash-ok', joinWithinMs: 70_000 });
    const began = (turnId: string, secondsAgo: number) =>
      runtime.db
        .updateTable('turns')
        .set({ created_at: new Date(Date.now() - secondsAgo * 1_000) })
        .where('id', '=', turnId)
        .execute();

    const older = await send(agent.id, 'ok', { requestHash: 'hash-ok' });
    await runtime.turns.cancel(older.turn.id);
    await began(older.turn.id, 80);
    // The same words again: the older turn had ended before this message was first sent.
    const first = await retry();
    await began(first.turn.id, 60);
    const second = await retry();

    expect(first.repeated).toBe(false);
    expect(second).toMatchObject({ repeated: true, turn: { id: first.turn.id } });
    await runtime.turns.cancel(first.turn.id);
  });

  it('adds a steering message to the running turn and ends both together [turn.steer]', async () => {
    const agent = await runtime.anAgent();
    const asked = models.requests.length;
    let steer: Awaited<ReturnType<typeof send>> | undefined;
    models.script(async () => {
      steer = await send(agent.id, 'and be brief', { whenBusy: 'steer' });
      const args = { label: 'human', content: 'x', request_heartbeat: true };
      return {
        toolCalls: [{ id: 'call_steer', name: 'core_memory_append', arguments: JSON.stringify(args) }],
      };
    }, saying('brief'));
    const worker = await runtime.startWorker();

    const { turn } = await send(agent.id, 'tell me all');
    const ended = await runtime.turns.result(turn.id);
    const steered = await runtime.turns.result(steer!.turn.id);
    await worker.stop();

    expect(ended).toMatchObject({ state: 'completed', steps: 2 });
    expect(steered).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
    expect(models.requests.length).toBe(asked + 2);
    expect(JSON.stringify(models.requests.at(-1)?.messages)).toContain('and be brief');
  });

  it('keeps a message whose wake-up found no worker [queue.accepted]', async () => {
    const agent = await runtime.anAgent();
    const { turn } = await send(agent.id, 'stored');

    expect(await getTurn(runtime.db, turn.id)).toMatchObject({ state: 'created' });
    models.script(saying('late, but here'));
    const worker = await runtime.startWorker();
    const ended = await runtime.turns.result(turn.id);
    await worker.stop();

    expect(ended.state).toBe('completed');
  });
});
