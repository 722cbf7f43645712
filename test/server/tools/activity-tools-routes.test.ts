import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { wireTool } from '../../../server/tools/tools-wire.js';
import { fernHeaders, stainlessHeaders, startTestServer, type TestServer } from '../test-server.js';

const json_schema = {
  name: 'book_flight',
  description: 'Book a flight.',
  parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
};
const activity = { task_queue: 'travel', name: 'BookFlight' };
const whole = {
  ...activity,
  schedule_to_start_ms: 60_000,
  start_to_close_ms: 60_000,
  heartbeat_timeout_ms: null,
  maximum_attempts: 1,
};
const named = (name: string) => ({ ...json_schema, name });

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

describe('[tools.activity-form] an activity as a tool over REST', () => {
  it('is created from its task queue, name and schema, and found again', async () => {
    const made = await server.read(wireTool, 'POST', '/v1/tools', {
      body: { source_type: 'temporal', json_schema, activity, tags: ['travel'], return_char_limit: 500 },
    });

    expect(made).toMatchObject({
      name: 'book_flight',
      tool_type: 'custom',
      source_type: 'temporal',
      source_code: null,
      description: 'Book a flight.',
      json_schema,
      tags: ['travel'],
      return_char_limit: 500,
      activity: whole,
    });
    expect(await server.read(wireTool, 'GET', `/v1/tools/${made.id}`)).toEqual(made);
  });

  it('is patched field by field and keeps the rest', async () => {
    const made = await server.read(wireTool, 'POST', '/v1/tools', {
      body: { json_schema: named('book_train'), activity },
    });
    const patch = (body: object) => server.read(wireTool, 'PATCH', `/v1/tools/${made.id}`, { body });

    expect(await patch({ activity: { ...activity, maximum_attempts: 3 } })).toEqual({
      ...made,
      activity: { ...whole, maximum_attempts: 3 },
    });
    expect(await patch({ description: 'Book it.' })).toMatchObject({
      description: 'Book it.',
      json_schema: { ...named('book_train'), description: 'Book it.' },
      activity: { maximum_attempts: 3 },
    });
  });

  it('is upserted by name, by either client, even over a tool with source code', async () => {
    const source_code =
      'def book_hotel(to: str):\n    """Book.\n\n    Args:\n        to: Where.\n    """\n    return to\n';
    const put = (body: object, headers: Record<string, string>) =>
      server.read(wireTool, 'PUT', '/v1/tools/', { body, headers });
    const first = await put({ source_code }, fernHeaders);

    const second = await put({ json_schema: named('book_hotel'), activity }, fernHeaders);
    const third = await put({ source_code }, stainlessHeaders);

    expect(second).toMatchObject({
      id: first.id,
      source_type: 'temporal',
      source_code: null,
      activity: whole,
    });
    expect(third).toEqual({ ...first });
  });

  it.each<[string, object, RegExp]>([
    ['no schema', { activity }, /json_schema: is needed/],
    ['no activity', { source_type: 'temporal', json_schema }, /activity: is needed/],
    ['neither source nor activity', { json_schema }, /source_code: is needed, or `activity`/],
    [
      'source code beside the activity',
      { json_schema, activity, source_code: 'def f(): pass' },
      /source_code: is not allowed/,
    ],
    [
      'another source type',
      { json_schema, activity, source_type: 'python' },
      /source_type: must be temporal/,
    ],
    [
      'a separate schema of arguments',
      { json_schema, activity, args_json_schema: {} },
      /args_json_schema: is not allowed/,
    ],
    [
      'a task queue with spaces',
      { json_schema, activity: { ...activity, task_queue: 'a b' } },
      /activity\.task_queue: .*no spaces/,
    ],
    [
      'one of Temporal’s own task queues',
      { json_schema, activity: { ...activity, task_queue: '/_sys/a' } },
      /Temporal's own/,
    ],
    ['no activity name', { json_schema, activity: { task_queue: 'travel' } }, /activity\.name/],
    [
      'a timeout of zero',
      { json_schema, activity: { ...activity, start_to_close_ms: 0 } },
      /start_to_close_ms/,
    ],
    ['an unknown setting', { json_schema, activity: { ...activity, timeout: 5 } }, /timeout/],
    [
      'a total above a day',
      { json_schema, activity: { ...activity, start_to_close_ms: 7_200_000, maximum_attempts: 100 } },
      /more than a day/,
    ],
    [
      'a name that models cannot call',
      { json_schema: named('book it'), activity },
      /can't be called 'book it'/,
    ],
  ])('is refused with 422 for %s', async (_what, body, sentence) => {
    expect(await server.call('POST', '/v1/tools', { body })).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(sentence) },
    });
  });

  it('cannot become a tool with source code by a patch', async () => {
    const made = await server.read(wireTool, 'POST', '/v1/tools', {
      body: { json_schema: named('book_bus'), activity },
    });

    const answer = await server.call('PATCH', `/v1/tools/${made.id}`, {
      body: { source_code: 'def f(): pass' },
    });

    expect(answer).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/Upsert it/) } });
    expect(await server.read(wireTool, 'GET', `/v1/tools/${made.id}`)).toEqual(made);
  });

  it('runs only in turns, not over REST', async () => {
    const { id, name } = await server.read(wireTool, 'POST', '/v1/tools', {
      body: { json_schema: named('book_boat'), activity },
    });
    const agent = await server.anAgent({ tool_ids: [id] });

    const answer = await server.call('POST', `/v1/agents/${agent.id}/tools/${name}/run`, {
      body: { args: {} },
    });

    expect(answer).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/only runs within turns/) },
    });
  });
});
