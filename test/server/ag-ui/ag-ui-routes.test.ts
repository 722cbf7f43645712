import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type BaseEvent, HttpAgent, type RunAgentParameters } from '@ag-ui/client';
import { WorldFailure } from '../../../core/failures.js';
import { listTurns } from '../../../schema/turns/turns.js';
import { packageFile } from '../../../stack/processes.js';
import { heldAnswer } from '../../support/models/held-answer.js';
import { besideTheDemo, callOf, createScriptedModels, saying } from '../../support/models/scripted-model.js';
import { type RuntimeServer, startRuntimeServer } from '../runtime-app.js';

const scripted = createScriptedModels();
const models = besideTheDemo(scripted);

let server: RuntimeServer;

beforeAll(async () => {
  server = await startRuntimeServer({ models });
});

afterAll(() => server.close());

async function aClient(input = {}) {
  const { id } = await server.runtime.anAgent({ blocks: [{ label: 'human', value: '' }], ...input });
  return new HttpAgent({ url: `${server.url}/v1/ag-ui`, threadId: id });
}

/** Runs the agent. The AG-UI client rejects events that arrive out of order. */
async function run(agent: HttpAgent, content: string | undefined, more: RunAgentParameters = {}) {
  if (content !== undefined) agent.addMessage({ id: `question: ${content}`, role: 'user', content });
  const events: BaseEvent[] = [];
  await agent.runAgent(more, {
    onEvent: ({ event }) => {
      events.push(event);
    },
  });
  return events;
}

const noting = (content: string) =>
  callOf('core_memory_append', { label: 'human', content, request_heartbeat: true });

const typesOf = (events: readonly BaseEvent[]) => [...new Set(events.map(({ type }) => type as string))];

describe('an AG-UI run', () => {
  it('[ag-ui.run] streams steps, reasoning, tool calls, results and text to an AG-UI client', async () => {
    const agent = await aClient();
    scripted.script(noting('Loves tea.'), saying('I noted that.'));

    const events = await run(agent, 'I love tea.');

    expect(typesOf(events)).toEqual([
      ...['RUN_STARTED', 'STEP_STARTED'],
      ...['REASONING_START', 'REASONING_MESSAGE_START', 'REASONING_MESSAGE_CONTENT'],
      ...['REASONING_MESSAGE_END', 'REASONING_END'],
      ...['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END', 'TOOL_CALL_RESULT', 'STEP_FINISHED'],
      ...['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END', 'RUN_FINISHED'],
    ]);
    expect(events.at(-1)).toMatchObject({
      outcome: { type: 'success' },
      result: { stop_reason: 'end_turn' },
    });
    expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'I noted that.' });
    expect(agent.messages.filter(({ role }) => role === 'tool')).toHaveLength(1);
  });

  it('[ag-ui.run] accepts a repeated message once and keeps the earlier conversation', async () => {
    const agent = await aClient();
    scripted.script(saying('One.'), saying('Two.'));
    await run(agent, 'First');
    await run(agent, 'Second');
    const again = await aClient();
    again.threadId = agent.threadId;

    const repeated = await run(again, 'Second');

    expect(again.messages.at(-1)).toMatchObject({ content: 'Two.' });
    expect(repeated.at(-1)).toMatchObject({ type: 'RUN_FINISHED' });
    expect(await listTurns(server.runtime.db, { threadId: agent.threadId }, {})).toHaveLength(2);
  });

  it('[ag-ui.interrupts] requests approvals as interrupts and resumes with the answers', async () => {
    const agent = await aClient({ toolRules: [{ kind: 'requires_approval', tool: 'core_memory_append' }] });
    scripted.script(noting('Loves tea.'), saying('Noted.'));

    const [finished] = (await run(agent, 'I love tea.')).slice(-1);
    const outcome = finished?.['outcome'] as { type: string; interrupts: readonly { id: string }[] };
    const interruptId = outcome.interrupts[0]?.id ?? '';
    const resume = [{ interruptId, status: 'resolved' as const, payload: { approved: true } }];
    const resumed = await run(agent, undefined, { resume });

    expect(outcome).toMatchObject({
      type: 'interrupt',
      interrupts: [{ reason: 'approval', toolCallId: interruptId }],
    });
    expect(typesOf(resumed)).toContain('TOOL_CALL_RESULT');
    expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Noted.' });
  });

  it('[ag-ui.ends] reports cancelled and failed turns', async () => {
    const agent = await aClient();
    const held = heldAnswer(saying('Too late.'));
    scripted.script(held.line);
    const running = run(agent, 'Stop me');
    await held.begun;
    const [turn] = await listTurns(server.runtime.db, { threadId: agent.threadId }, {});
    await server.runtime.turns.cancel(turn!.id);
    const cancelled = await running;
    held.release();
    scripted.script(new WorldFailure('Model.BadRequest', 'The model refused this.', { retryable: false }));
    const failing = await aClient();
    const told: BaseEvent[] = [];
    const subscriber = { onEvent: ({ event }: { event: BaseEvent }) => void told.push(event) };
    failing.addMessage({ id: 'question', role: 'user', content: 'Fail' });
    await failing.runAgent({}, subscriber).catch(() => undefined);

    expect(cancelled.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
    expect(told.at(-1)).toMatchObject({
      type: 'RUN_ERROR',
      message: expect.stringContaining('The model refused this.'),
    });
  });

  it('[ag-ui.wrong-input] rejects an invalid request with the reason', async () => {
    const { id } = await server.runtime.anAgent();
    const post = async (body: object) => {
      const answer = await server.app.inject({ method: 'POST', url: '/v1/ag-ui', body });
      return `${answer.statusCode} ${answer.body}`;
    };
    const said = { id: 'm', role: 'user', content: 'Hello' };
    const run_ = { threadId: id, runId: 'r', messages: [said] };

    expect(await post({ ...run_, threadId: 'thread-1' })).toMatch(
      /^422 .*id of an agent or of a conversation/,
    );
    expect(await post({ ...run_, messages: [] })).toMatch(/^422 .*must be the user’s/);
    expect(await post({ ...run_, messages: [{ ...said, content: [{ type: 'image' }] }] })).toMatch(
      /^422 .*must be text/,
    );
    expect(await post({ ...run_, resume: [{ interruptId: 'x', status: 'resolved' }] })).toMatch(
      /^400 .*No tool call is currently awaiting approval/,
    );
    expect(await listTurns(server.runtime.db, { threadId: id }, {})).toEqual([]);
  });

  it('[ag-ui.example] works in the shipped example', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', packageFile('examples/ag-ui-run.ts')],
      {
        cwd: packageFile('.'),
        env: { ...process.env, PERDURE_URL: server.url, PERDURE_MODEL: 'perdure/demo', NODE_OPTIONS: '' },
        timeout: 170_000,
      },
    );

    expect(stdout).toMatch(/^calls core_memory_replace\n/);
    expect(stdout).toMatch(/agent: I noted in core memory: .*Name: Ada/);
  });
});
