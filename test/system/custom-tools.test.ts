import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '../../schema/db/database.js';
import { packageFile } from '../../stack/processes.js';
import { findFreePort } from '../../stack/ports.js';
import { runForJsonLines } from '../support/json-lines.js';
import { type ChatRequest, lastReturned, lastSaid, type Reply } from '../support/model-server.js';
import { pythonWith } from '../support/python-clients.js';
import { startTestStack, type TestStack } from '../support/stack.js';

const password = 'of-the-server';

/** The agent as the document shows it, by what was said to it last. */
function documentModel(request: ChatRequest, step: number): Reply {
  const steps = lastSaid(request).includes('seperate tasks')
    ? [
        act('task_queue_push', { task_description: 'start calling me Mickey' }),
        act('task_queue_push', { task_description: 'tell me a haiku about my name' }),
        act('task_queue_pop', {}),
      ]
    : [act('get_agent_id', {})];
  const message = `The tool said: ${lastReturned(request)}`;
  return steps[step] ?? { call: 'send_message', args: { thinking: 'I answer.', message } };
}

function act(call: string, args: Record<string, unknown>): Reply {
  return { call, args: { thinking: `I use ${call}.`, ...args, request_heartbeat: true } };
}

interface Shown {
  readonly cell: number;
  readonly content: Readonly<Record<string, unknown>>;
}

describe('the document’s tools, with the Python client of their time and a server that has a password', () => {
  let stack: TestStack;
  let database: Database;
  let cells: readonly (readonly unknown[])[];
  let agentIds: readonly string[];

  beforeAll(async () => {
    // Both processes are told the port, as those of a stack are: a worker must know where its server is.
    const env = {
      PORT: String(await findFreePort()),
      LETTA_SERVER_PASSWORD: password,
      TOOL_SANDBOX: 'strict',
    };
    const [started, python] = await Promise.all([startTestStack(documentModel, env), pythonWith('0.1.172')]);
    stack = started;
    database = openDatabase(stack.databaseUrl, { connections: 2 });
    const args = [
      packageFile('test/seeds/run.py'),
      packageFile('test/seeds/agent_tools.py'),
      stack.url,
      password,
    ];
    const shown = (await runForJsonLines(python, args)) as Shown[];
    cells = Array.from({ length: 10 }, (_, cell) =>
      shown.filter((one) => one.cell === cell).map(({ content }) => content),
    );
    agentIds = String(cells[9]?.[0]).split(' ');
    // Where packages must be installed first, a registry is waited for.
  }, 240_000);

  afterAll(async () => {
    await database.close();
    await stack.close();
  });

  it('[tools.seed-script] reads its own id from `agent_state`', () => {
    expect(cells[3]).toMatchObject([
      { message_type: 'reasoning_message' },
      { message_type: 'tool_call_message', tool_call: { name: 'get_agent_id' } },
      { message_type: 'tool_return_message', status: 'success', tool_return: agentIds[0] },
      { message_type: 'reasoning_message' },
      { message_type: 'assistant_message', content: expect.stringContaining(agentIds[0] ?? 'no id') },
      { message_type: 'stop_reason' },
      { message_type: 'usage_statistics', step_count: 2 },
    ]);
  });

  it('[tools.seed-script] keeps a queue of tasks by calling the server from inside its tools', () => {
    const returns = cells[7]?.filter((chunk) => typeOf(chunk) === 'tool_return_message');

    expect(returns).toMatchObject([
      { status: 'success', tool_return: 'None' },
      { status: 'success', tool_return: 'None' },
      { status: 'success', tool_return: 'Remaining tasks ["tell me a haiku about my name"]' },
    ]);
    expect(cells[8]).toEqual(['["tell me a haiku about my name"]']);
  });

  it('[tools.token] writes as the tool, in its turn and call, without the password and on the revision that it read', async () => {
    const revisions = await database.db
      .selectFrom('block_revisions')
      .innerJoin('effects', (join) =>
        join
          .onRef('effects.tool_call_id', '=', 'block_revisions.tool_call_id')
          .onRef('effects.step_id', '=', 'block_revisions.step_id')
          .onRef('effects.turn_id', '=', 'block_revisions.turn_id'),
      )
      .select(['actor', 'agent_id', 'revision', 'tool_name'])
      .where('agent_id', '=', agentIds[1] ?? '')
      .orderBy('revision')
      .execute();

    const by = { actor: 'tool', agent_id: agentIds[1] };
    expect(revisions).toEqual([
      { ...by, revision: 2, tool_name: 'task_queue_push' },
      { ...by, revision: 3, tool_name: 'task_queue_push' },
      { ...by, revision: 4, tool_name: 'task_queue_pop' },
    ]);
    expect(await database.db.selectFrom('tool_tokens').selectAll().execute()).toEqual([]);
  });

  it('[tools.token] lets nobody in with a token that has ended', async () => {
    const response = await fetch(`${stack.url}/v1/agents/`, {
      headers: { 'x-perdure-tool-token': 'ended', authorization: `Bearer ${password}` },
    });

    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({
      detail: expect.stringMatching(/^The tool that sent this has ended/),
    });
  });
});

function typeOf(chunk: unknown): unknown {
  return (chunk as Readonly<Record<string, unknown>>)['message_type'];
}
