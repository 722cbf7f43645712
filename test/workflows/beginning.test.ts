import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTurnListener, type TurnListener } from '../../client/turn-listener.js';
import { createTurns } from '../../client/turns.js';
import type { Agent } from '../../core/agents.js';
import { WorldFailure } from '../../core/failures.js';
import { getTurn } from '../../schema/turns.js';
import { waitFor } from '../../stack/waiting.js';
import { activitiesOf, fetchHistories } from '../support/histories.js';
import { startRuntime, type TestRuntime } from '../support/runtime.js';
import { callOf, createScriptedModels, saying, type ScriptLine } from '../support/scripted-model.js';

describe('an execution that was rung for a turn', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;
  let listener: TurnListener;

  beforeAll(async () => {
    runtime = await startRuntime({ models, modelTimeoutMs: 3_000 });
    listener = createTurnListener(runtime.databaseUrl);
    await runtime.startWorker();
  });

  afterAll(async () => {
    await listener.close();
    await runtime.close();
  });

  /** Stores a turn, and rings no bell for it. */
  const quietly = async (agent: Agent, content: string) => {
    const bell = { ...runtime.bell, ring: () => Promise.resolve() };
    const turns = createTurns({ db: runtime.db, bell, listener });
    return (await turns.send({ threadId: agent.id, messages: [{ role: 'user', content }] })).turn;
  };

  const ran = async (agent: Agent) => {
    const closed = async () => {
      const [found] = await fetchHistories(runtime.temporal, [agent.id]);
      const isClosed = found?.events?.some(
        (event) => event.workflowExecutionCompletedEventAttributes != null,
      );
      return isClosed === true ? found : undefined;
    };
    const history = await waitFor(closed, { timeoutMs: 90_000, everyMs: 100 });
    return activitiesOf(history!);
  };

  it('takes its first steps with its delivery [fold.begins]', async () => {
    const agent = await runtime.anAgent();
    models.script(saying('Hello.'));

    expect(await runtime.tell(agent, 'Hello?')).toMatchObject({ state: 'completed', steps: 1 });

    expect(await ran(agent)).toEqual(['beginTurn']);
  });

  it('takes an older delivery alone, and no step for the one that it was rung for [fold.begins]', async () => {
    const agent = await runtime.anAgent();
    const first = await quietly(agent, 'first');
    const second = await quietly(agent, 'second');
    models.script(saying('one'), saying('two'));

    await runtime.bell.ring({ threadId: agent.id, agentId: agent.id, turnId: second.id });

    expect(await runtime.turns.result(first.id)).toMatchObject({ state: 'completed', steps: 1 });
    expect(await runtime.turns.result(second.id)).toMatchObject({ state: 'completed', steps: 1 });
    expect((await ran(agent)).slice(0, 2)).toEqual(['beginTurn', 'callModel']);
  });

  it('ends at once where nothing waits [fold.begins]', async () => {
    const agent = await runtime.anAgent();
    const turn = await quietly(agent, 'Never mind.');
    await runtime.turns.cancel(turn.id);

    await runtime.bell.ring({ threadId: agent.id, agentId: agent.id, turnId: turn.id });

    expect(await ran(agent)).toEqual(['beginTurn']);
  });

  it('ends it at once where it is cancelled in its first call, and goes on with the next [fold.begins]', async () => {
    const agent = await runtime.anAgent();
    const asked = new Promise<void>((resolve) => {
      const never: ScriptLine = () => {
        resolve();
        return new Promise(() => undefined);
      };
      models.script(never, saying('two'));
    });
    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'first' }],
    });
    await asked;

    await runtime.turns.cancel(turn.id);

    expect(await runtime.tell(agent, 'second')).toMatchObject({ state: 'completed' });
    expect(await getTurn(runtime.db, turn.id)).toMatchObject({ state: 'cancelled', stopReason: 'cancelled' });
  });

  it('gives a model no more time than any call has, however often it fails [fold.begins]', async () => {
    const agent = await runtime.anAgent();
    const down = new WorldFailure('Model.Unavailable', 'The model is down.', { retryable: true });
    models.script(...Array.from({ length: 20 }, () => down));

    const turn = await runtime.tell(agent, 'Hello?');
    models.drop();

    expect(turn).toMatchObject({ state: 'failed', stopReason: 'llm_api_error' });
    expect(await ran(agent)).toEqual(['beginTurn', 'settleTurn']);
  });

  it('goes on from a stored answer where its time is over by then [fold.begins]', async () => {
    const agent = await runtime.anAgent();
    models.script(
      callOf('core_memory_append', { label: 'human', content: 'Has a boat.', request_heartbeat: true }),
      new WorldFailure('Model.RateLimited', 'Later.', { retryable: true, retryAfterMs: 3_200 }),
      saying('Noted.'),
    );

    expect(await runtime.tell(agent, 'I have a boat.')).toMatchObject({ state: 'completed', steps: 2 });
    expect(await ran(agent)).toEqual(['beginTurn', 'callModel']);
  });

  it('ends a turn whose model hangs in its first call [fold.begins]', async () => {
    const agent = await runtime.anAgent();
    models.script(() => new Promise(() => undefined));

    expect(await runtime.tell(agent, 'Hello?')).toMatchObject({
      state: 'failed',
      stopReason: 'llm_api_error',
      error: { type: 'Model.Timeout' },
    });
  });
});
