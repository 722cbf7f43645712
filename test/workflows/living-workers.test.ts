import { Context } from '@temporalio/activity';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { Presence } from '../../activities/deps.js';
import type { Activities } from '../../activities/index.js';
import type { ToolRunner } from '../../adapters/custom-tools/tool-runner.js';
import type { Agent } from '../../core/agents.js';
import { WorldFailure } from '../../core/failures.js';
import type { ModelAnswer } from '../../core/model.js';
import { listMessages } from '../../schema/messages.js';
import { attachTool } from '../../schema/agent-tools.js';
import { upsertCustomTool } from '../../schema/custom-tools.js';
import { workerLocks } from '../../schema/worker-lives.js';
import { waitFor } from '../../stack/waiting.js';
import { openPresence } from '../../worker/presence.js';
import { fetchHistories, retriesOf } from '../support/histories.js';
import { startRuntime, type TestRuntime } from '../support/runtime.js';
import { callOf, createScriptedModels, saying, type ScriptLine } from '../support/scripted-model.js';

const inTime = { timeoutMs: 30_000 };

describe('a worker that lives, and that Temporal takes for dead', () => {
  const models = createScriptedModels();
  const workers: { stop(): Promise<void> }[] = [];
  let runtime: TestRuntime;
  let first: Watched;
  let asked: number;
  let tried: number;

  /** Runs whatever tool it is by waiting for its end. */
  const tools: ToolRunner = {
    prepare: () =>
      Promise.resolve({
        kind: 'ready',
        run: async ({ signal }) => {
          tried += 1;
          const words = await first.unlessAborted('It sailed.', signal);
          return { ok: true, message: words, stdout: [], stderr: [], blocks: {} };
        },
      }),
  };

  beforeAll(async () => {
    runtime = await startRuntime({ models, tools });
  });

  beforeEach(() => {
    first = watched();
    tried = 0;
    asked = models.requests.length;
  });

  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  });

  afterAll(async () => {
    await runtime.close();
  });

  const startWorker = async (options: { silent?: boolean; silenceMs?: number } = {}) => {
    const { silent = false, silenceMs = 600_000 } = options;
    const presence = first.seen(runtime.presence, silent);
    const worker = await runtime.startWorker({ wrap: first.wrap, deps: { presence, silenceMs } });
    workers.push(worker);
    return worker;
  };

  const send = async (agent: Agent) => {
    const messages = [{ role: 'user' as const, content: 'I have a boat.' }];
    return (await runtime.turns.send({ threadId: agent.id, messages })).turn;
  };

  const spoken = async (agent: Agent) =>
    (await listMessages(runtime.db, { threadId: agent.id }, { order: 'asc' })).map(({ body }) => body.kind);

  it('asks once, and what it is answered counts [turn.alive-once]', async () => {
    const agent = await runtime.anAgent();
    models.script(first.answering(append('Has a boat.')), saying('Noted.'));
    await startWorker();
    const turn = await send(agent);
    await first.askedAfter;

    first.answer();

    expect(await runtime.turns.result(turn.id)).toMatchObject({ state: 'completed', steps: 2 });
    expect(models.requests).toHaveLength(asked + 2);
    expect(await spoken(agent)).toEqual(['user', 'assistant', 'tool', 'heartbeat', 'assistant', 'tool']);
    // Temporal has it from a later attempt, which had it from the first one's rows.
    const [history] = await fetchHistories(runtime.temporal, [agent.id]);
    expect(retriesOf(history!)).toEqual([
      expect.stringMatching(/^beginTurn, attempt \d after: activity Heartbeat timeout/),
    ]);
  });

  /** Has the first attempt, which another waits for, fail like this; what the model is asked from then on, and when. */
  const fail = async (failure: WorldFailure) => {
    const agent = await runtime.anAgent();
    const at: number[] = [];
    const noted = (): Partial<ModelAnswer> => {
      at.push(performance.now());
      return saying('Noted.');
    };
    models.script(first.answering(failure), noted);
    await startWorker();
    const turn = await send(agent);
    await first.askedAfter;
    first.speak();
    await first.forgotten();

    const failedAt = performance.now();
    first.answer();
    const ended = await runtime.turns.result(turn.id);
    models.drop();
    return { ended, askedAfterMs: at.map((moment) => moment - failedAt) };
  };

  it('is told to come back later, and what waits for it does [turn.alive-failed]', async () => {
    const limited = new WorldFailure('Model.RateLimited', 'The provider allows no more calls now.', {
      ...{ retryable: true, retryAfterMs: 1_500, status: 429 },
    });

    const { ended, askedAfterMs } = await fail(limited);

    expect(ended).toMatchObject({ state: 'completed', steps: 1 });
    expect(askedAfterMs).toHaveLength(1);
    expect(askedAfterMs[0]).toBeGreaterThanOrEqual(1_500);
  });

  it('is refused for good, and what waits for it asks no more [turn.alive-failed]', async () => {
    const refused = new WorldFailure('Model.Unauthorized', 'The provider does not take the key.', {
      ...{ retryable: false, status: 401 },
    });

    const { ended, askedAfterMs } = await fail(refused);

    expect(ended).toMatchObject({ state: 'failed', stopReason: 'llm_api_error' });
    expect(ended.error).toEqual({
      type: 'Model.Unauthorized',
      message: expect.stringContaining('The provider does not take the key.'),
    });
    expect(askedAfterMs).toEqual([]);
  });

  it('goes on though Temporal has forgotten it, until its turn ends [turn.alive-forgotten]', async () => {
    const agent = await runtime.anAgent();
    models.script(first.answering(saying('Too late.')));
    await startWorker();
    const turn = await send(agent);
    await first.askedAfter;
    first.speak();
    await first.forgotten();
    expect(first.failure).toBeUndefined();

    await runtime.turns.cancel(turn.id);

    await first.ended;
    expect(first.failure).toMatchObject({ type: 'Turn.Fenced' });
    expect(await spoken(agent)).toEqual(['user']);
  });

  it('ends with its worker, and what waits for it takes over at once [turn.alive-forgotten]', async () => {
    const agent = await runtime.anAgent();
    models.script(first.answering(saying('Too late.')), saying('Noted.'));
    const worker = await startWorker();
    const turn = await send(agent);
    await first.askedAfter;
    first.speak();
    await first.forgotten();

    workers.splice(workers.indexOf(worker), 1);
    await worker.stop();
    await startWorker();

    expect(first.failure).toMatchObject({ message: 'WORKER_SHUTDOWN' });
    expect(await runtime.turns.result(turn.id)).toMatchObject({ state: 'completed', steps: 1 });
    expect(models.requests).toHaveLength(asked + 2);
  });

  it('is waited for no longer than it gives news, and its late answer is no one’s [turn.alive-wedged]', async () => {
    first = watched('beginTurn', 'at once');
    const agent = await runtime.anAgent();
    models.script(first.answering(append('Has a boat.')), saying('Noted.'));
    await startWorker({ silent: true, silenceMs: 300 });
    const turn = await send(agent);
    expect(await runtime.turns.result(turn.id)).toMatchObject({ state: 'completed', steps: 1 });

    first.answer();

    await first.ended;
    expect(first.failure).toMatchObject({ type: 'Turn.Fenced' });
    expect(models.requests).toHaveLength(asked + 2);
    expect(await spoken(agent)).toEqual(['user', 'assistant', 'tool']);
  });

  const keysHeld = async (): Promise<readonly number[]> => {
    const { rows } = await sql<{ key: number }>`
      select objid::int as key from pg_locks
      where locktype = 'advisory' and classid = ${workerLocks} and granted
        and database = (select oid from pg_database where datname = current_database())`.execute(runtime.db);
    return rows.map(({ key }) => key);
  };

  it('is not waited for where its execution is dead [turn.alive-once]', async () => {
    const agent = await runtime.anAgent();
    models.script(first.answering(append('Has a boat.')), saying('Noted.'));
    await startWorker();
    const turn = await send(agent);
    await first.waiting;
    await runtime.temporal.workflow.getHandle(agent.id).terminate();

    await runtime.bell.ring({ threadId: agent.id, agentId: agent.id });

    expect(await runtime.turns.result(turn.id)).toMatchObject({ state: 'completed', steps: 1 });
    first.answer();
    await first.ended;
    expect(first.failure).toMatchObject({ type: 'Turn.Fenced' });
    expect(await spoken(agent)).toEqual(['user', 'assistant', 'tool']);
  });

  const aSailor = async (): Promise<Agent> => {
    const agent = await runtime.anAgent();
    const { id } = await upsertCustomTool(runtime.db, {
      ...{ description: 'Sail.', sourceType: 'python', sourceCode: 'def sail():\n  ...' },
      schema: { name: 'sail', description: 'Sail.', parameters: { type: 'object', properties: {} } },
      argsSchema: null,
      runtime: { function: 'sail', modules: [], clientGeneration: '0.1' },
    });
    await attachTool(runtime.db, agent.id, id);
    models.script(callOf('sail', { request_heartbeat: true }), saying('Noted.'));
    return agent;
  };

  const resultOf = async (agent: Agent) =>
    (await listMessages(runtime.db, { threadId: agent.id, kinds: ['tool'] }, { order: 'asc' }))[0]?.body;

  it('runs a tool once, and what it returns counts [turn.alive-tool]', async () => {
    first = watched('runTool', 'at once');
    const agent = await aSailor();
    await startWorker();
    const turn = await send(agent);
    await first.askedAfter;

    first.answer();

    expect(await runtime.turns.result(turn.id)).toMatchObject({ state: 'completed', steps: 2 });
    expect(tried).toBe(1);
    expect(await resultOf(agent)).toMatchObject({ status: 'success', content: 'It sailed.' });
  });

  it('is waited for no longer than it gives news of a tool, whose late result is no one’s [turn.alive-tool]', async () => {
    first = watched('runTool', 'at once');
    const agent = await aSailor();
    await startWorker({ silent: true, silenceMs: 300 });
    const turn = await send(agent);

    expect(await runtime.turns.result(turn.id)).toMatchObject({ state: 'completed', steps: 2 });

    expect(tried).toBe(1);
    const content = expect.stringMatching(/^sail was started, and then .* Whether it took effect is unknown/);
    expect(await resultOf(agent)).toMatchObject({ status: 'error', content });
    first.answer();
    await first.ended;
    expect(await resultOf(agent)).toMatchObject({ status: 'error', content });
  });

  it('is seen no more once its connection is lost, and then under another key [turn.alive-once]', async () => {
    const presence = await openPresence(runtime.databaseUrl);
    const before = presence.key();
    expect(await keysHeld()).toContain(before);

    await sql`
      select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and classid = ${workerLocks} and objid = ${before}`.execute(runtime.db);

    const isNew = (): number | undefined =>
      presence.key() === before ? undefined : (presence.key() ?? undefined);
    const after = await waitFor(isNew, inTime);
    const held = await keysHeld();
    expect(held).toContain(after);
    expect(held).not.toContain(before);
    await presence.close();
    expect(presence.key()).toBeNull();
  });
});

function append(content: string) {
  return callOf('core_memory_append', { label: 'human', content, request_heartbeat: true });
}

/**
 * The first run of an activity. Temporal hears nothing of it until it may speak, and begins another after a while; or
 * another is begun at once when this one waits for its model or its tool.
 */
interface Watched {
  readonly wrap: (activities: Activities) => Activities;
  /** The worker's presence, which says when somebody asks after a model call, and gives no news where it is silent. */
  seen(presence: Presence, silent: boolean): Presence;
  /** A model's answer, or its failure, that comes when `answer` is called. */
  answering(answer: Partial<ModelAnswer> | WorldFailure): ScriptLine;
  answer(): void;
  /** The same for what can be aborted. */
  unlessAborted<T>(answer: T, signal: AbortSignal | undefined): Promise<T>;
  /** Resolves when it waits for its answer. */
  readonly waiting: Promise<void>;
  readonly askedAfter: Promise<void>;
  speak(): void;
  /** Resolves when it knows that Temporal has forgotten it. */
  forgotten(): Promise<void>;
  readonly ended: Promise<void>;
  readonly failure: unknown;
}

function watched(
  name: 'beginTurn' | 'runTool' = 'beginTurn',
  again: 'by Temporal' | 'at once' = 'by Temporal',
): Watched {
  const waiting = gate();
  const answered = gate();
  const askedAfter = gate();
  const ended = gate();
  let context: Context | undefined;
  let isMute = true;
  const self = {
    failure: undefined as unknown,
    wrap: (activities: Activities): Activities => ({
      ...activities,
      async [name](input: never) {
        if (context !== undefined) return activities[name](input);
        const current = Context.current();
        context = current;
        const speak = current.heartbeat.bind(current);
        Object.assign(current, {
          heartbeat: () => {
            if (!isMute) speak();
          },
        });
        const watch = async () => {
          try {
            return await activities[name](input);
          } catch (error) {
            self.failure = error;
            throw error;
          } finally {
            ended.open();
          }
        };
        if (again === 'by Temporal') return watch();
        isMute = false;
        watch().catch(() => undefined);
        await waiting.opened;
        return activities[name](input);
      },
    }),
    seen: (presence: Presence, silent: boolean): Presence => ({
      key: () => presence.key(),
      whileInHand: (work, giveNews) =>
        presence.whileInHand(work, () => {
          askedAfter.open();
          if (!silent) giveNews();
        }),
    }),
    answering: (answer: Partial<ModelAnswer> | WorldFailure): ScriptLine => {
      return async () => {
        const given = await self.unlessAborted(answer, undefined);
        if (given instanceof WorldFailure) throw given;
        return given;
      };
    },
    unlessAborted: <T>(answer: T, signal: AbortSignal | undefined): Promise<T> => {
      waiting.open();
      return new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
        void answered.opened.then(() => {
          resolve(answer);
        });
      });
    },
    answer: answered.open,
    waiting: waiting.opened,
    askedAfter: askedAfter.opened,
    speak: () => {
      isMute = false;
    },
    async forgotten() {
      const isForgotten = () => (context?.cancellationDetails?.notFound === true ? true : undefined);
      expect(await waitFor(isForgotten, inTime)).toBe(true);
    },
    ended: ended.opened,
  };
  return self;
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    opened,
    open: () => {
      open();
    },
  };
}
