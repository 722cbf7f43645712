import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSchedules, type Schedules } from '../../client/schedules.js';
import { createScheduleSync } from '../../client/schedule-sync.js';
import type { Timing } from '../../core/schedules/schedules.js';
import { deleteAgent } from '../../schema/agents/agents.js';
import { listMessages } from '../../schema/threads/messages.js';
import { insertSchedule } from '../../schema/schedules/schedules.js';
import { enqueueScheduled } from '../../schema/schedules/scheduled-turns.js';
import { listTurns } from '../../schema/turns/turns.js';
import { waitFor } from '../../stack/waiting.js';
import { sweep } from '../../worker/sweep.js';
import type { Agent } from '../../core/agents/agents.js';
import { aPair, refined } from '../support/agents/partners.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { runCanary } from '../support/runtime/canary.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

const yearly: Timing = {
  kind: 'cron',
  cron: '30 3 29 2 *',
  timezone: 'Europe/Oslo',
  jitterMs: 0,
  overlap: 'allow_all',
  catchupMs: 600_000,
};

describe('schedules', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;
  let schedules: Schedules;
  const made: string[] = [];

  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker();
    schedules = createSchedules({ db: runtime.db, sync: runtime.schedules });
  });

  afterAll(async () => {
    for (const id of made)
      await runtime.temporal.schedule
        .getHandle(id)
        .delete()
        .catch(() => undefined);
    expect(runtime.log).toEqual([]);
    await runtime.close();
  });

  const say = (text: string) => [{ role: 'user' as const, content: `${text} ${runCanary()}` }];

  async function scheduled(agent: Agent, timing: Timing, text = 'It is time.') {
    const schedule = await schedules.scheduleMessages({ agentId: agent.id, messages: say(text), timing });
    made.push(schedule.id);
    return schedule;
  }

  /** The agent's turns, when there are this many and all have ended. */
  async function endedTurns({ id }: Agent, count: number) {
    const turns = await waitFor(
      async () => {
        const found = await listTurns(runtime.db, { agentIds: [id] }, { order: 'asc' });
        const hasEnded = found.every(({ state }) => state === 'completed');
        return found.length >= count && hasEnded ? found : undefined;
      },
      { timeoutMs: 90_000, everyMs: 50 },
    );
    if (turns === undefined) throw new Error(`${id} has not had ${count} turns`);
    return turns;
  }

  /** Temporal names an execution by the second: two in the same second would be one. Its clock may lag behind this one. */
  async function nextSecond(): Promise<void> {
    const next = Math.floor(Date.now() / 1_000) * 1_000 + 1_500;
    await waitFor(() => Promise.resolve(Date.now() > next ? true : undefined), {
      timeoutMs: 90_000,
      everyMs: 20,
    });
  }

  /** The states of the agent's turns, oldest first, when they match. */
  async function reach({ id }: Agent, wanted: readonly string[]): Promise<readonly string[]> {
    let states: readonly string[] = [];
    await waitFor(
      async () => {
        const found = await listTurns(runtime.db, { agentIds: [id] }, { order: 'asc' });
        states = found.map(({ state }) => state);
        return states.join() === wanted.join() ? true : undefined;
      },
      { timeoutMs: 90_000, everyMs: 50 },
    );
    return states;
  }

  it('send a one-time message once, at its time [schedule.once]', async () => {
    const agent = await runtime.anAgent();
    models.script(saying('Good morning.'));
    const at = new Date(Date.now() + 1_500);

    const schedule = await scheduled(agent, { kind: 'once', at: at.toISOString() }, 'Say good morning.');
    const [turn] = await endedTurns(agent, 1);

    expect(turn!.createdAt.getTime()).toBeGreaterThanOrEqual(at.getTime());
    const [first] = await listMessages(runtime.db, { turnId: turn!.id }, { order: 'asc' });
    expect(JSON.stringify(first?.body)).toContain('Say good morning.');
    expect((await schedules.retrieve(schedule.id)).firedAt).not.toBeNull();
    const described = await waitFor(
      async () => {
        const { report } = await schedules.describe(schedule.id);
        return report?.fired === 1 ? report : undefined;
      },
      { timeoutMs: 90_000, everyMs: 100 },
    );
    expect(described).toMatchObject({ nextTimes: [], missed: 0 });
  });

  it('start one turn for one time, however often they are asked [schedule.idempotent]', async () => {
    const agent = await runtime.anAgent();
    const schedule = await scheduled(agent, yearly);
    const at = { scheduleId: schedule.id, key: `${schedule.id}-2028-02-29T02:30:00Z` };

    const turns = await Promise.all([1, 2, 3].map(() => enqueueScheduled(runtime.db, at)));
    const one = { kind: 'once' as const, at: new Date(Date.now() + 3_600_000).toISOString() };
    const once = await scheduled(agent, one);
    const onces = await Promise.all(
      ['early', 'due'].map((key) => enqueueScheduled(runtime.db, { scheduleId: once.id, key })),
    );
    const other = await enqueueScheduled(runtime.db, { ...at, key: `${schedule.id}-2032-02-29T02:30:00Z` });

    expect(new Set(turns.map((turn) => turn?.id)).size).toBe(1);
    expect(other?.id).not.toBe(turns[0]?.id);
    expect(onces[0]?.id).toBe(onces[1]?.id);
    await runtime.turns.cancel(onces[0]!.id);
    await runtime.turns.cancel(turns[0]!.id);
    await runtime.turns.cancel(other!.id);
  });

  it('send by cron or on a trigger, and the messages queue [schedule.cron]', async () => {
    const agent = await runtime.anAgent();
    const schedule = await scheduled(agent, yearly);
    models.script(saying('One.'), saying('Two.'));

    await schedules.trigger(schedule.id);
    await endedTurns(agent, 1);
    await nextSecond();
    await schedules.trigger(schedule.id);
    const turns = await endedTurns(agent, 2);

    expect(turns).toHaveLength(2);
    const { report } = await schedules.describe(schedule.id);
    expect(report?.nextTimes[0]).toEqual(new Date('2028-02-29T02:30:00Z'));
  });

  it.each(['cancel_other', 'terminate_other'] as const)(
    'with %s cancel only the turn of the earlier time [schedule.overlap]',
    async (overlap) => {
      const agent = await runtime.anAgent();
      const schedule = await scheduled(agent, { ...yearly, overlap });
      // A trigger uses no overlap policy by default. This one uses the policy of the schedule's own times.
      const handle = runtime.temporal.schedule.getHandle(schedule.id);
      const { policies } = await handle.describe();
      const dueNow = () => handle.trigger(policies.overlap);
      let answer: (() => void) | undefined;
      models.script(
        () =>
          new Promise(
            (resolve) =>
              (answer = () => {
                resolve(saying('To the user.'));
              }),
          ),
        () => new Promise(() => undefined),
        saying('In time.'),
      );
      await runtime.turns.send({ threadId: agent.id, messages: [{ role: 'user', content: 'Hello.' }] });
      expect(await reach(agent, ['running'])).toEqual(['running']);

      await dueNow();
      expect(await reach(agent, ['running', 'created'])).toEqual(['running', 'created']);
      await nextSecond();
      await dueNow();
      const whileItWaits = ['running', 'cancelled', 'created'];
      expect(await reach(agent, whileItWaits)).toEqual(whileItWaits);
      answer?.();
      const whileItRuns = ['completed', 'cancelled', 'running'];
      expect(await reach(agent, whileItRuns)).toEqual(whileItRuns);
      await nextSecond();
      await dueNow();

      const ended = ['completed', 'cancelled', 'cancelled', 'completed'];
      expect(await reach(agent, ended)).toEqual(ended);
    },
  );

  it('are paused, resumed, changed and deleted in Temporal too [schedule.control]', async () => {
    const agent = await runtime.anAgent();
    const schedule = await scheduled(agent, yearly);
    const asTemporalHasIt = async () => {
      const { spec, state, policies } = await runtime.temporal.schedule.getHandle(schedule.id).describe();
      return { paused: state.paused, jitter: spec.jitter, timezone: spec.timezone, ...policies };
    };

    await schedules.update(schedule.id, { paused: true });
    const paused = await asTemporalHasIt();
    await schedules.update(schedule.id, {
      paused: false,
      timing: {
        ...yearly,
        jitterMs: 90_000,
        timezone: 'Asia/Tokyo',
        overlap: 'buffer_one',
        catchupMs: 60_000,
      },
    });

    expect(paused).toMatchObject({ paused: true, overlap: 'ALLOW_ALL', catchupWindow: 600_000 });
    expect(await asTemporalHasIt()).toMatchObject({
      paused: false,
      jitter: 90_000,
      timezone: 'Asia/Tokyo',
      overlap: 'BUFFER_ONE',
      catchupWindow: 60_000,
    });
    await schedules.delete(schedule.id);
    await expect(runtime.temporal.schedule.getHandle(schedule.id).describe()).rejects.toMatchObject({
      name: 'ScheduleNotFoundError',
    });
    await expect(schedules.retrieve(schedule.id)).rejects.toMatchObject({ name: 'ScheduleNotFoundError' });
  });

  it('reach Temporal later if their creator died first, even past their time [schedule.sync]', async () => {
    const agent = await runtime.anAgent();
    const unreachable = createSchedules({
      db: runtime.db,
      sync: { ...runtime.schedules, push: () => Promise.reject(new Error('Temporal is down')) },
    });
    models.script(saying('Late, but here.'));
    const late = { kind: 'once' as const, at: new Date(Date.now() + 300).toISOString() };
    const schedule = await unreachable.scheduleMessages({
      agentId: agent.id,
      messages: say('Now.'),
      timing: late,
    });
    made.push(schedule.id);
    await runtime.db
      .updateTable('schedules')
      .set({ updated_at: new Date(Date.now() - 60_000) })
      .where('id', '=', schedule.id)
      .execute();
    await waitFor(() => Promise.resolve(Date.now() > Date.parse(late.at) ? true : undefined), {
      timeoutMs: 90_000,
      everyMs: 50,
    });

    await sweep(runtime);
    const turns = await endedTurns(agent, 1);
    await createScheduleSync(runtime.db, runtime.temporal, runtime.taskQueue).catchUp();

    expect(turns).toHaveLength(1);
  });

  it('catch up row by row: a row that Temporal refuses does not delay the others [schedule.sync]', async () => {
    const agent = await runtime.anAgent();
    const cron = { ...yearly, kind: 'cron' as const };
    const rows = [];
    for (const timing of [{ ...cron, cron: '0 0 99 99 *' }, cron])
      rows.push(await insertSchedule(runtime.db, { kind: 'message', agentId: agent.id, timing }));
    const [refused, other] = rows.map(({ id }) => id);
    made.push(other ?? '');
    for (const [id, ageMs] of [[refused, 90_000] as const, [other, 60_000] as const])
      await runtime.db
        .updateTable('schedules')
        .set({ updated_at: new Date(Date.now() - ageMs) })
        .where('id', '=', id ?? '')
        .execute();

    await expect(runtime.schedules.catchUp()).rejects.toThrow('1 schedules could not be pushed to Temporal.');

    expect(await runtime.schedules.report(other ?? '')).toMatchObject({ fired: 0 });
    await runtime.db
      .deleteFrom('schedules')
      .where('id', '=', refused ?? '')
      .execute();
  });

  it('are removed with their agent [schedule.sync]', async () => {
    const agent = await runtime.anAgent();
    const schedule = await scheduled(agent, yearly);
    await deleteAgent(runtime.db, agent.id);

    await sweep(runtime);
    await runtime.db
      .updateTable('schedules')
      .set({ updated_at: new Date(Date.now() - 60_000) })
      .where('id', '=', schedule.id)
      .execute();
    await sweep(runtime);

    const rows = await runtime.db
      .selectFrom('schedules')
      .select('id')
      .where('id', '=', schedule.id)
      .execute();
    expect(rows).toEqual([]);
    await expect(runtime.temporal.schedule.getHandle(schedule.id).describe()).rejects.toMatchObject({
      name: 'ScheduleNotFoundError',
    });
  });

  it('refine memory by cron [schedule.refinement]', async () => {
    const pair = await aPair(runtime);
    models.script(saying('I see.'), callOf('memory_finish_edits', {}));
    await runtime.tell(pair.agent, 'I moved.');
    const schedule = await schedules.scheduleRefinements({ groupId: pair.group.id, timing: yearly });
    made.push(schedule.id);

    await schedules.trigger(schedule.id);
    const refinement = await waitFor(async () => (await refined(runtime, pair)).at(0), {
      timeoutMs: 90_000,
      everyMs: 50,
    });

    expect(refinement).toMatchObject({ cause: 'schedule', state: 'completed', agentId: pair.agent.id });
  });
});
