import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Letta from 'letta-client-1';
import { z } from 'zod';
import { listTurns } from '../../../schema/turns/turns.js';
import { wireRefinementSchedule } from '../../../server/schedules/refinement-schedules-wire.js';
import { wireScheduledMessage } from '../../../server/schedules/schedules-wire.js';
import { waitFor } from '../../../stack/waiting.js';
import { aPair, refined } from '../../support/agents/partners.js';
import { createRest, type Rest } from '../../support/server/rest.js';
import type { TestRuntime } from '../../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../../support/models/scripted-model.js';
import { startRuntimeServer } from '../runtime-app.js';

const leapDay = '30 3 29 2 *';

describe('schedules over REST', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;
  let close: () => Promise<void>;
  let letta: Letta;
  let rest: Rest;

  beforeAll(async () => {
    let url: string;
    ({ runtime, url, close } = await startRuntimeServer({ models }));
    letta = new Letta({ baseURL: url, apiKey: 'none', maxRetries: 0 });
    rest = createRest(url);
  });

  afterAll(async () => {
    const rows = await runtime.db.selectFrom('schedules').select('id').execute();
    for (const { id } of rows)
      await runtime.temporal.schedule
        .getHandle(id)
        .delete()
        .catch(() => undefined);
    await close();
  });

  const messages = [{ role: 'user' as const, content: 'It is time.' }];

  it('creates, reads, pages and deletes schedules of 1.x clients [schedule.wire]', async () => {
    const agent = await runtime.anAgent();
    const scheduled_at = Date.now() + 3_600_000;
    const once = await letta.agents.schedule.create(agent.id, {
      messages,
      schedule: { type: 'one-time', scheduled_at },
      max_steps: 3,
      include_return_message_types: ['assistant_message'],
    });
    const cron = await letta.agents.schedule.create(agent.id, {
      messages: [{ role: 'system', content: [{ type: 'text', text: 'Check.' }], name: 'clock' }],
      schedule: { type: 'recurring', cron_expression: leapDay },
    });

    expect(once.next_scheduled_at).toBe(new Date(scheduled_at).toISOString());
    expect(await letta.agents.schedule.retrieve(once.id, { agent_id: agent.id })).toMatchObject({
      id: once.id,
      agent_id: agent.id,
      message: {
        messages: [{ role: 'user', content: 'It is time.' }],
        max_steps: 3,
        include_return_message_types: ['assistant_message'],
      },
      next_scheduled_time: new Date(scheduled_at).toISOString(),
      schedule: { type: 'one-time', scheduled_at },
    });
    const first = await letta.agents.schedule.list(agent.id, { limit: '1' });
    const second = await letta.agents.schedule.list(agent.id, { limit: '1', after: once.id });
    expect([first, second]).toMatchObject([
      { has_next_page: true, scheduled_messages: [{ id: once.id }] },
      {
        has_next_page: false,
        scheduled_messages: [
          {
            id: cron.id,
            message: { messages: [{ role: 'system', content: 'Check.', name: 'clock' }] },
            next_scheduled_time: '2028-02-29T03:30:00.000Z',
            schedule: { type: 'recurring', cron_expression: leapDay },
          },
        ],
      },
    ]);
    expect(await letta.agents.schedule.delete(once.id, { agent_id: agent.id })).toEqual({ success: true });
    await expect(letta.agents.schedule.retrieve(once.id, { agent_id: agent.id })).rejects.toMatchObject({
      status: 404,
    });
    expect(await letta.agents.schedule.list(agent.id)).toMatchObject({
      scheduled_messages: [{ id: cron.id }],
    });
  });

  it('triggers, pauses and resumes a schedule [schedule.wire] [schedule.control]', async () => {
    const agent = await runtime.anAgent();
    models.script(saying('Good morning.'));
    const { id } = await letta.agents.schedule.create(agent.id, {
      messages,
      schedule: { type: 'recurring', cron_expression: leapDay },
    });
    const url = `/v1/agents/${agent.id}/schedule/${id}`;

    const paused = wireScheduledMessage.parse(await rest.read('POST', `${url}/pause`));
    const resumed = wireScheduledMessage.parse(await rest.read('POST', `${url}/resume`));
    await rest.read('POST', `${url}/trigger`);
    const sent = await waitFor(
      async () => (await listTurns(runtime.db, { agentIds: [agent.id], states: ['completed'] }, {})).at(0),
      { timeoutMs: 90_000, everyMs: 50 },
    );

    expect(paused).toMatchObject({ paused: true, next_scheduled_time: null });
    expect(resumed).toMatchObject({ paused: false, next_scheduled_time: '2028-02-29T03:30:00.000Z' });
    expect(sent?.options).toMatchObject({ background: true });
    expect(wireScheduledMessage.parse(await rest.read('GET', url)).last_sent_at).not.toBeNull();
  });

  it.each([
    [{ type: 'one-time', scheduled_at: 1_000 }, /1970-01-01T00:00:01.000Z is in the past/],
    [{ type: 'one-time', scheduled_at: Date.UTC(2101, 0, 1) }, /is 2100/],
    [{ type: 'one-time', scheduled_at: Date.UTC(10_000, 0, 1) }, /is 2100/],
    [{ type: 'one-time', scheduled_at: 8.64e15 }, /is 2100/],
    [{ type: 'recurring', cron_expression: '0 9 * *' }, /has 4 fields/],
    [{ type: 'recurring', cron_expression: leapDay, timezone: 'Mars' }, /Mars is not a time zone/],
    [{ type: 'recurring', cron_expression: '0 9 30 2 *' }, /never comes/],
    [{ type: 'weekly' }, /schedule\.type/],
  ])('refuses %j with the reason [schedule.refused]', async (schedule, detail) => {
    const agent = await runtime.anAgent();

    expect(await rest.call('POST', `/v1/agents/${agent.id}/schedule`, { messages, schedule })).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(detail) },
    });
  });

  it('creates, changes, pauses, triggers and deletes the schedule of a group’s refinements [schedule.refinement]', async () => {
    const pair = await aPair(runtime);
    models.script(saying('I see.'), callOf('memory_finish_edits', {}));
    await runtime.tell(pair.agent, 'I moved.');
    const url = `/v1/groups/${pair.group.id}/schedule`;
    const read = async (method: string, path: string, body?: object) =>
      wireRefinementSchedule.parse(await rest.read(method, path, body));

    const made = await read('POST', url, {
      cron_expression: leapDay,
      timezone: 'Europe/Oslo',
      jitter_seconds: 30,
      note: 'each leap day',
    });
    const one = `${url}/${made.id}`;
    const changed = await read('PATCH', one, { overlap: 'buffer_one', timezone: 'UTC' });
    const paused = await read('POST', `${one}/pause`);
    await read('POST', `${one}/resume`);
    await read('POST', `${one}/trigger`);
    const refinement = await waitFor(async () => (await refined(runtime, pair)).at(0), {
      timeoutMs: 90_000,
      everyMs: 50,
    });

    expect(made).toMatchObject({
      group_id: pair.group.id,
      agent_id: pair.agent.id,
      partner_id: pair.partner.id,
      overlap: 'skip',
      jitter_seconds: 30,
      catchup_window_seconds: 600,
      note: 'each leap day',
      fired: 0,
    });
    expect(made.next_times[0]).toMatch(/^2028-02-29T02:30:/);
    expect(changed).toMatchObject({
      overlap: 'buffer_one',
      timezone: 'UTC',
      jitter_seconds: 30,
      note: 'each leap day',
    });
    expect(paused).toMatchObject({ paused: true, next_times: [] });
    expect(refinement).toMatchObject({ cause: 'schedule', state: 'completed' });
    expect(z.array(wireRefinementSchedule).parse(await rest.read('GET', url))).toMatchObject([
      { id: made.id },
    ]);
    await rest.read('DELETE', one);
    expect(await rest.call('GET', one)).toMatchObject({ status: 404 });
    expect(await rest.call('POST', url, { cron_expression: 'soon' })).toMatchObject({ status: 422 });
  });
});
