import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../core/agents/agents.js';
import type { ApprovalAnswer } from '../../core/turns/approvals.js';
import type { ModelToolCall } from '../../core/models/model.js';
import { listAgentBlocks } from '../../schema/blocks/agent-blocks.js';
import { enqueueApproval } from '../../schema/turns/approvals.js';
import { pendingApproval } from '../../schema/turns/pending-approvals.js';
import { listMessages } from '../../schema/threads/messages.js';
import { listTurns } from '../../schema/turns/turns.js';
import type { TurnOptions } from '../../schema/turns/records.js';
import { turnCalls } from '../../schema/turns/steps.js';
import { threadsToWake } from '../../schema/turns/sweeping.js';
import { deleteTurn } from '../../schema/turns/deleting.js';
import { turnUsage } from '../../schema/turns/turns.js';
import { waitFor } from '../../stack/waiting.js';
import { createRuntimeApp } from '../server/runtime-app.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

const rules = [
  { kind: 'requires_approval' as const, tool: 'core_memory_append' },
  { kind: 'exit_loop' as const, tool: 'send_message' },
];

describe('calls that need approval', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker();
  });

  afterAll(async () => {
    await runtime.close();
  });

  const anAgent = (): Promise<Agent> => runtime.anAgent({ toolRules: rules });

  const appending = (content: string): { toolCalls: ModelToolCall[] } =>
    callOf('core_memory_append', { label: 'human', content, request_heartbeat: true });

  const together = (...calls: { toolCalls: ModelToolCall[] }[]) => ({
    toolCalls: calls.flatMap((call) => call.toolCalls),
  });

  async function answer(
    agent: Agent,
    approvals: readonly ApprovalAnswer[],
    more: { messages?: string[]; options?: TurnOptions } = {},
  ) {
    const messages = (more.messages ?? []).map((content) => ({ role: 'user' as const, content }));
    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages,
      approvals,
      ...(more.options === undefined ? {} : { options: more.options }),
    });
    return runtime.turns.result(turn.id);
  }

  const approve = (toolCallId: string): ApprovalAnswer => ({ kind: 'approved', toolCallId, reason: null });
  const deny = (toolCallId: string, reason: string): ApprovalAnswer => ({
    kind: 'denied',
    toolCallId,
    reason,
  });

  const waitingCalls = async (agent: Agent) =>
    (await pendingApproval(runtime.db, agent.id))?.toolCallIds ?? [];

  const human = async (agent: Agent): Promise<string> =>
    (await listAgentBlocks(runtime.db, agent.id)).find((block) => block.label === 'human')?.value ?? '';

  const kinds = async (agent: Agent): Promise<string[]> =>
    (await listMessages(runtime.db, { threadId: agent.id }, {})).map(({ body }) =>
      body.kind === 'tool' ? `${body.toolName} ${body.status}` : body.kind,
    );

  const asleep = (agent: Agent) =>
    waitFor(async () => ((await runtime.bell.isAwake(agent.id)) ? undefined : true), {
      timeoutMs: 90_000,
      everyMs: 20,
    });

  it('[approval.repeated] continue when a decision is sent again after its turn was cancelled', async () => {
    const agent = await anAgent();
    let reached = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => (reached = resolve));
    const hanging = (): Promise<never> => {
      reached();
      return new Promise<never>(() => undefined);
    };
    models.script(appending(' Ann.'), hanging, saying('Two.'));
    await runtime.tell(agent, 'I am Ann.');
    const [call] = await waitingCalls(agent);
    const returned: ApprovalAnswer = {
      kind: 'returned',
      toolCallId: call!,
      status: 'success',
      content: 'Yes.',
    };
    const first = answer(agent, [returned]);
    await isAsked;
    const [running] = await listTurns(runtime.db, { threadId: agent.id, states: ['running'] }, {});
    await runtime.turns.cancel(running!.id);
    await first;

    const again = await answer(agent, [returned]);

    expect(again).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
    expect(again.id).not.toBe(running!.id);
    const [told] = await listMessages(runtime.db, { turnId: again.id }, {});
    expect(told?.body).toMatchObject({
      kind: 'user',
      content: [{ text: expect.stringContaining('keep-alive') }],
    });
  });

  it('[wire.pending-approval] refuse other messages at once, except async sends and explicitly queued ones', async () => {
    const agent = await anAgent();
    models.script(appending(' Ann.'), saying('One.'), saying('Two.'), saying('Three.'));
    await runtime.tell(agent, 'I am Ann.');
    const calls = await waitingCalls(agent);
    const app = createRuntimeApp(runtime);
    const send = async (route: string, more: object = {}) => {
      const payload = { messages: [{ role: 'user', content: 'Hi' }], ...more };
      const answer = await app.inject({ method: 'POST', url: `/v1/agents/${agent.id}/${route}`, payload });
      return { status: answer.statusCode, body: answer.json<{ id: string; detail: unknown }>(), answer };
    };

    for (const route of ['messages', 'messages/stream']) {
      const refused = await send(route);
      expect(refused).toMatchObject({
        status: 409,
        body: {
          detail: {
            code: 'PENDING_APPROVAL',
            message: expect.stringContaining('Please approve or deny the pending request before continuing'),
            tool_call_ids: calls,
          },
        },
      });
      expect(refused.answer.headers['x-should-retry']).toBe('false');
    }
    const { length: stored } = await listTurns(runtime.db, { threadId: agent.id }, {});
    expect(stored).toBe(1);
    const queued = await send('messages/async');
    const waiting = send('messages', { queue: true });
    const wrong = { type: 'approval', approvals: [{ type: 'approval', tool_call_id: 'no', approve: true }] };
    expect(await send('messages', { messages: [wrong] })).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^Invalid tool call IDs\. Expected/) },
    });

    expect(queued.status).toBe(200);
    await answer(agent, [approve(calls[0]!)]);
    expect((await runtime.turns.result(queued.body.id)).stopReason).toBe('end_turn');
    expect((await waiting).status).toBe(200);
    expect(await send('messages', { messages: [wrong] })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('No tool call is currently awaiting approval') },
    });
    await app.close();
  });

  it('end the turn and keep nothing running while they wait [approval.waits]', async () => {
    const agent = await anAgent();
    models.script(appending('They sail.'));

    const ended = await runtime.tell(agent, 'I sail.');
    await asleep(agent);

    expect(ended).toMatchObject({ state: 'completed', stopReason: 'requires_approval', steps: 1 });
    expect(await waitingCalls(agent)).toHaveLength(1);
    expect(await human(agent)).not.toContain('They sail.');
    expect(await kinds(agent)).toEqual(['user', 'assistant']);
  });

  it('run once approved, and the agent continues in that turn [approval.approve]', async () => {
    const agent = await anAgent();
    models.script(appending('They row.'));
    await runtime.tell(agent, 'I row.');
    const [callId = ''] = await waitingCalls(agent);
    models.script(saying('Noted.'));

    const ended = await answer(agent, [approve(callId)]);

    expect(ended).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 1 });
    expect(await human(agent)).toContain('They row.');
    expect(await waitingCalls(agent)).toEqual([]);
    expect(await kinds(agent)).toEqual([
      'user',
      'assistant',
      'approval',
      'core_memory_append success',
      'heartbeat',
      'assistant',
      'send_message success',
    ]);
    const seen = models.requests.at(-1)?.messages.map(({ role }) => role);
    expect(seen).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
  });

  it('end the turn of the approval if the approved tool ends turns [approval.approve]', async () => {
    const agent = await runtime.anAgent({
      toolRules: [
        { kind: 'requires_approval', tool: 'send_message' },
        { kind: 'exit_loop', tool: 'send_message' },
      ],
    });
    models.script(saying('May I?'));
    await runtime.tell(agent, 'Speak.');
    const [callId = ''] = await waitingCalls(agent);

    const ended = await answer(agent, [approve(callId)]);

    expect(ended).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 0 });
  });

  it('tell the model the reason of a denial [approval.deny]', async () => {
    const agent = await anAgent();
    models.script(appending('They fly.'));
    await runtime.tell(agent, 'I fly.');
    const [callId = ''] = await waitingCalls(agent);
    models.script(saying('As you wish.'));

    const ended = await answer(agent, [deny(callId, 'that is private')]);

    expect(ended).toMatchObject({ state: 'completed', steps: 1 });
    expect(await human(agent)).not.toContain('They fly.');
    expect(JSON.stringify(models.requests.at(-1)?.messages)).toContain('User reason: that is private');
  });

  it('may be decided one by one, and the turn continues after the last [approval.partial]', async () => {
    const agent = await anAgent();
    models.script(
      together(
        appending('One.'),
        callOf('core_memory_replace', {
          label: 'human',
          old_content: 'said their name',
          new_content: 'told it',
        }),
        appending('Two.'),
      ),
    );
    await runtime.tell(agent, 'Note both.');
    const [one = '', two = ''] = await waitingCalls(agent);
    const kindsBefore = await kinds(agent);
    const asked = models.requests.length;

    const first = await answer(agent, [approve(two)]);
    const between = {
      asked: models.requests.length,
      waiting: await waitingCalls(agent),
      human: await human(agent),
    };
    models.script(saying('Both done.'));
    const second = await answer(agent, [deny(one, 'no')]);

    // A call without the need for approval waits with the others, and runs with the first decision.
    expect(kindsBefore).toEqual(['user', 'assistant']);
    expect(between.human).toContain('told it');
    expect(first).toMatchObject({ stopReason: 'requires_approval', steps: 0 });
    expect(between).toMatchObject({ asked, waiting: [one] });
    expect(second).toMatchObject({ stopReason: 'end_turn', steps: 1 });
    expect(await human(agent)).toContain('Two.');
    expect(await human(agent)).not.toContain('One.');
  });

  it('hold back the calls beside them, and are dropped together [approval.partial]', async () => {
    const agent = await anAgent();
    const replacing = callOf('core_memory_replace', {
      label: 'human',
      old_content: 'said their name',
      new_content: 'told it',
    });
    models.script(together(appending('One.'), replacing));
    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'Note it.' }],
    });
    await runtime.turns.result(turn.id);

    await runtime.turns.dropApprovals({ agentId: agent.id });
    models.script(saying('Then not.'));
    const next = await runtime.tell(agent, 'Well?');

    expect(next.state).toBe('completed');
    expect(await human(agent)).not.toContain('told it');
    expect((await kinds(agent)).slice(2, 4)).toEqual([
      'core_memory_append error',
      'core_memory_replace error',
    ]);
  });

  it('are decided once: a repeated approval returns the first one’s turn [approval.repeated]', async () => {
    const agent = await anAgent();
    models.script(appending('Once.'));
    await runtime.tell(agent, 'Note it.');
    const [callId = ''] = await waitingCalls(agent);
    models.script(saying('Done.'));
    const send = () => runtime.turns.send({ threadId: agent.id, messages: [], approvals: [approve(callId)] });

    const [first, second] = await Promise.all([send(), send()]);
    await runtime.turns.result(first.turn.id);
    const late = await runtime.turns.send({
      threadId: agent.id,
      messages: [],
      approvals: [deny(callId, 'too late')],
    });

    expect(new Set([first.turn.id, second.turn.id, late.turn.id]).size).toBe(1);
    expect([first.repeated, second.repeated].sort()).toEqual([false, true]);
    expect((await human(agent)).match(/Once\./g)).toHaveLength(1);
  });

  it('are not decided by a repeated approval of an earlier call with the same id [approval.repeated]', async () => {
    const agent = await anAgent();
    const named = (content: string) => ({
      toolCalls: appending(content).toolCalls.map((call) => ({ ...call, id: 'call_0' })),
    });
    models.script(named('First.'));
    await runtime.tell(agent, 'Note both.');
    const send = (requestKey: string) =>
      runtime.turns.send({ threadId: agent.id, messages: [], approvals: [approve('call_0')], requestKey });
    models.script(named('Second.'));
    const first = await send('first');
    await runtime.turns.result(first.turn.id);

    const repeated = await send('first');
    const between = { waiting: await waitingCalls(agent), human: await human(agent) };
    models.script(saying('Both noted.'));
    const second = await send('second');
    const ended = await runtime.turns.result(second.turn.id);

    expect(repeated).toMatchObject({ repeated: true, turn: { id: first.turn.id } });
    expect(between.waiting).toEqual(['call_0']);
    expect(between.human).not.toContain('Second.');
    expect(ended).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
    expect(await human(agent)).toMatch(/First.(.|\n)*Second./);
  });

  it('refuse an approval of another call, or without a waiting call [approval.unknown]', async () => {
    const agent = await anAgent();
    const send = (approvals: readonly ApprovalAnswer[]) =>
      runtime.turns.send({ threadId: agent.id, messages: [], approvals });

    await expect(send([approve('call_x')])).rejects.toMatchObject({
      name: 'ApprovalMismatchError',
      unknown: ['call_x'],
      waiting: [],
    });
    await expect(send([{ kind: 'all', approve: true, reason: null }])).rejects.toMatchObject({
      name: 'ApprovalMismatchError',
    });
    models.script(appending('Wait.'));
    await runtime.tell(agent, 'Note.');
    const waiting = await waitingCalls(agent);

    await expect(send([approve('call_x')])).rejects.toMatchObject({ unknown: ['call_x'], waiting });
    expect(await waitingCalls(agent)).toEqual(waiting);
  });

  it('keep later messages in order behind them, and wake nothing [approval.queue]', async () => {
    const agent = await anAgent();
    models.script(appending('Patience.'));
    await runtime.tell(agent, 'Note it.');
    const [callId = ''] = await waitingCalls(agent);
    const send = (content: string) =>
      runtime.turns.send({ threadId: agent.id, messages: [{ role: 'user', content }] });
    const queued = [await send('first in line'), await send('second in line')];
    await asleep(agent);
    const wakeable = await threadsToWake(runtime.db, -60_000);
    models.script(saying('noted'), saying('one'), saying('two'));

    const decided = await answer(agent, [approve(callId)]);
    const ended = await Promise.all(queued.map(({ turn }) => runtime.turns.result(turn.id)));

    expect(wakeable.map(({ threadId }) => threadId)).not.toContain(agent.id);
    expect([decided, ...ended].map((turn) => turn.stopReason)).toEqual(['end_turn', 'end_turn', 'end_turn']);
    const users = await listMessages(runtime.db, { threadId: agent.id, kinds: ['user'] }, {});
    expect(users.map((message) => /Note|first|second/.exec(JSON.stringify(message.body))?.[0])).toEqual([
      'Note',
      'first',
      'second',
    ]);
  });

  it('are dropped by a cancel, and the queue moves on [approval.cancel]', async () => {
    const agent = await anAgent();
    models.script(appending('Never.'));
    const turn = await runtime.tell(agent, 'Note it.');
    const waiting = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'What now?' }],
    });
    models.script(saying('Nothing.'));

    const foreign = await runtime.turns.dropApprovals({ agentId: agent.id, turnIds: [waiting.turn.id] });
    const dropped = await runtime.turns.dropApprovals({ agentId: agent.id });
    const ended = await runtime.turns.result(waiting.turn.id);

    expect(foreign).toEqual([]);
    expect(dropped).toEqual([turn.id]);
    expect(ended.state).toBe('completed');
    expect(await human(agent)).not.toContain('Never.');
    expect(JSON.stringify(models.requests.at(-1)?.messages)).toContain(
      'cancelled before anybody approved it',
    );
  });

  it('keep a decision whose turn is cancelled before it began [approval.cancel]', async () => {
    const agent = await anAgent();
    models.script(together(appending('A.'), appending('B.')));
    await runtime.tell(agent, 'Note both.');
    const [one = '', two = ''] = await waitingCalls(agent);
    const conversation = { threadId: agent.id, messages: [] };
    // The bell does not ring, so no worker claims it.
    const heard = { ...runtime.bell };
    Object.assign(runtime.bell, { ring: () => Promise.resolve() });
    const { turn } = await runtime.turns.send({ ...conversation, approvals: [approve(one)] });
    Object.assign(runtime.bell, heard);

    await runtime.turns.cancel(turn.id);
    const left = await waitingCalls(agent);
    models.script(saying('So be it.'));
    const ended = await answer(agent, [approve(two)]);

    expect(left).toEqual([two]);
    expect(ended.state).toBe('completed');
    expect(await human(agent)).toContain('B.');
    expect(await human(agent)).not.toContain('A.');
  });

  it('may belong to tools that the client runs [approval.client-tool]', async () => {
    const agent = await anAgent();
    const clientTools = [
      {
        name: 'open_door',
        description: 'Opens a door.',
        parameters: { type: 'object' as const, properties: { door: { type: 'string' } }, required: ['door'] },
      },
    ];
    models.script(callOf('open_door', { door: 'front', request_heartbeat: true }));
    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'Open up.' }],
      options: { clientTools },
    });
    const waiting = await runtime.turns.result(turn.id);
    const offered = models.requests.at(-1)?.tools.map((tool) => tool.name);
    const [callId = ''] = await waitingCalls(agent);
    models.script(saying('It is open.'));

    const ended = await answer(
      agent,
      [{ kind: 'returned', toolCallId: callId, status: 'success', content: 'The front door is open.' }],
      { messages: ['And thank you.'], options: { clientTools } },
    );

    expect(offered).toContain('open_door');
    expect(waiting).toMatchObject({ stopReason: 'requires_approval' });
    expect(ended).toMatchObject({ state: 'completed', steps: 1 });
    expect(JSON.stringify(models.requests.at(-1)?.messages)).toMatch(/The front door is open.*And thank you/);
    expect((await kinds(agent)).slice(0, 5)).toEqual([
      'user',
      'assistant',
      'approval',
      'user',
      'open_door success',
    ]);
  });

  it('survive the end of every worker and a long time [approval.waits]', async () => {
    const other = await startRuntime({ models });
    try {
      const worker = await other.startWorker();
      const agent = await other.anAgent({ toolRules: rules });
      models.script(appending('Months later.'));
      await other.tell(agent, 'Note it.');
      await worker.stop();
      const old = new Date('2020-01-01T00:00:00Z');
      await other.db.updateTable('turns').set({ created_at: old, touched_at: old }).execute();
      await other.startWorker();
      models.script(saying('At last.'));

      const { turn } = await other.turns.send({
        threadId: agent.id,
        messages: [],
        approvals: [{ kind: 'all', approve: true, reason: null }],
      });
      const ended = await other.turns.result(turn.id);

      expect(ended.state).toBe('completed');
      const blocks = await listAgentBlocks(other.db, agent.id);
      expect(blocks.find((block) => block.label === 'human')?.value).toContain('Months later.');
    } finally {
      await other.close();
    }
  });

  it('limit a turn’s own model and instructions to that turn [turn.override]', async () => {
    const agent = await anAgent();
    models.script(saying('as told'), saying('as ever'));
    const options = { overrideModel: 'scripted/other', overrideSystem: 'You are somebody else.' };
    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'Who?' }],
      options,
    });
    await runtime.turns.result(turn.id);
    const told = JSON.stringify(models.requests.at(-1)?.messages[0]);
    const after = await runtime.tell(agent, 'And now?');
    const ever = JSON.stringify(models.requests.at(-1)?.messages[0]);

    const steps = await runtime.db
      .selectFrom('steps')
      .select(['turn_id', 'model'])
      .where('agent_id', '=', agent.id)
      .orderBy('created_at')
      .execute();
    expect(steps).toEqual([
      { turn_id: turn.id, model: 'scripted/other' },
      { turn_id: after.id, model: 'scripted/model' },
    ]);
    expect(told).toContain('You are somebody else.');
    expect(ever).not.toContain('You are somebody else.');
  });

  it('run even if the run that made them was deleted after the approval [approval.run-deleted]', async () => {
    const agent = await anAgent();
    models.script(appending('They sail.'), saying('Noted.'));
    const asked = await runtime.tell(agent, 'I sail.');
    await asleep(agent);
    const [call = ''] = await waitingCalls(agent);
    const approval = {
      turnId: `run-${randomUUID()}`,
      deliveryId: `delivery-${randomUUID()}`,
      threadId: agent.id,
      messages: [],
      options: {},
      requestKey: null,
      requestHash: null,
      joinWithinMs: 0,
      steer: false,
    };
    const { turn } = await enqueueApproval(runtime.db, approval, [approve(call)]);

    await deleteTurn(runtime.db, asked.id);
    await runtime.bell.ring({ threadId: agent.id, agentId: agent.id });
    const ended = await runtime.turns.result(turn.id);

    expect(ended).toMatchObject({ stopReason: 'end_turn', steps: 1 });
    expect(await human(agent)).toContain('They sail.');
    expect(await turnCalls(runtime.db, turn.id, 5)).toMatchObject([
      { name: 'core_memory_append', failed: false },
      { name: 'send_message', failed: false },
    ]);
    expect(await turnUsage(runtime.db, asked.id)).toMatchObject({ totalTokens: 0 });
    // A repeated approval is recognised.
    expect(await answer(agent, [approve(call)])).toMatchObject({ id: turn.id });
  });
});
