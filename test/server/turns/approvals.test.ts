import { describe, expect, it } from '@jest/globals';
import type { TurnEvent } from '../../../core/turns/events.js';
import { type Chunk, renderEvent, streamStart } from '../../../server/streams/chunks-wire.js';
import {
  fromApprovals,
  fromSendBody,
  sendBody,
  toTurnOptions,
} from '../../../server/threads/message-requests-wire.js';
import { wireMessage } from '../../../server/threads/message-shapes-wire.js';
import { toWireMessages } from '../../../server/threads/messages-wire.js';
import { toRendering } from '../../../server/threads/rendering-wire.js';
import { aStoredMessage } from '../stored-message.js';

const agent = {
  agentType: 'memgpt_agent' as const,
  timezone: 'UTC',
  toolRules: [{ kind: 'requires_approval' as const, tool: 'risky' }],
};
const rendering = toRendering(agent, { client_tools: ['open_door'] }, []);

describe('[approval.wire] requests with approvals', () => {
  const parse = (message: object) => sendBody.parse({ messages: [message] });

  it('carry decisions on single calls and the results of client tools', () => {
    const body = sendBody.parse({
      messages: [
        {
          type: 'approval',
          approvals: [
            { type: 'approval', tool_call_id: 'a', approve: true },
            { type: 'approval', tool_call_id: 'b', approve: false, reason: 'no' },
            { type: 'tool', tool_call_id: 'c', tool_return: 'done', status: 'success', stdout: ['x'] },
          ],
        },
        { role: 'user', content: 'and go on' },
      ],
    });

    expect(fromApprovals(body)).toEqual([
      { kind: 'approved', toolCallId: 'a', reason: null },
      { kind: 'denied', toolCallId: 'b', reason: 'no' },
      { kind: 'returned', toolCallId: 'c', status: 'success', content: 'done', stdout: ['x'] },
    ]);
    expect(fromSendBody(body)).toEqual([{ role: 'user', content: 'and go on' }]);
  });

  it('carry one decision for all calls, as older clients send it', () => {
    const body = parse({
      type: 'approval',
      approve: false,
      approval_request_id: 'message-1',
      reason: 'later',
    });

    expect(fromApprovals(body)).toEqual([{ kind: 'all', approve: false, reason: 'later' }]);
  });

  it('carry tool returns without decisions', () => {
    const body = parse({
      type: 'tool_return',
      tool_returns: [
        { type: 'tool', tool_call_id: 'c', tool_return: [{ type: 'text', text: 'shut' }], status: 'error' },
      ],
    });

    expect(fromApprovals(body)).toEqual([
      { kind: 'returned', toolCallId: 'c', status: 'error', content: 'shut' },
    ]);
  });

  it('contain no approval if they hold a message', () => {
    expect(fromApprovals(parse({ role: 'user', content: 'hi' }))).toBeUndefined();
  });

  it.each([
    ['without a decision', { type: 'approval' }],
    ['with an empty list', { type: 'approval', approvals: [] }],
    ['without a call id', { type: 'approval', approvals: [{ type: 'approval', approve: true }] }],
    ['without returns', { type: 'tool_return', tool_returns: [] }],
  ])('are refused %s', (_what, message) => {
    expect(sendBody.safeParse({ messages: [message] }).success).toBe(false);
  });

  it('[turn.override] [approval.client-tool] carry tools, a model and instructions for their turn', () => {
    const body = sendBody.parse({
      input: 'hi',
      client_tools: [
        { name: 'open_door', description: null, parameters: { properties: { a: { type: 'string' } } } },
      ],
      override_model: 'openai/x',
      override_system: 'Be brief.',
    });

    expect(toTurnOptions(body, { streamTokens: false, background: false })).toMatchObject({
      overrideModel: 'openai/x',
      overrideSystem: 'Be brief.',
      clientTools: [
        {
          name: 'open_door',
          description: '',
          parameters: { type: 'object', properties: { a: { type: 'string' } } },
        },
      ],
      wire: { client_tools: ['open_door'] },
    });
  });
});

describe('[approval.wire] messages about approvals', () => {
  const answer = aStoredMessage({
    kind: 'assistant',
    text: '',
    reasoning: 'I act.',
    nativeReasoning: false,
    toolCalls: [
      { id: 'c1', name: 'risky', arguments: '{"x":1}' },
      { id: 'c2', name: 'harmless', arguments: '{}' },
      { id: 'c3', name: 'risky', arguments: '{"x":2}' },
    ],
    awaited: ['c1', 'c3'],
  });

  it('show the waiting calls as one request, after the other calls', () => {
    const shown = toWireMessages(answer, rendering).map((message) => wireMessage.parse(message));

    expect(shown).toMatchObject([
      { message_type: 'reasoning_message' },
      { message_type: 'tool_call_message', tool_call: { name: 'harmless' } },
      {
        message_type: 'approval_request_message',
        tool_call: { name: 'risky', arguments: '{"x":1}', tool_call_id: 'c1' },
        tool_calls: [{ tool_call_id: 'c1' }, { tool_call_id: 'c3' }],
      },
    ]);
  });

  it('show the decisions', () => {
    const message = aStoredMessage({
      kind: 'approval',
      decisions: [
        { kind: 'denied', toolCallId: 'c1', reason: 'no' },
        { kind: 'returned', toolCallId: 'c3', status: 'success', content: 'open' },
      ],
    });

    expect(toWireMessages(message, rendering).map((one) => wireMessage.parse(one))).toMatchObject([
      {
        message_type: 'approval_response_message',
        approve: false,
        reason: 'no',
        approvals: [
          { type: 'approval', tool_call_id: 'c1', approve: false, reason: 'no' },
          { type: 'tool', tool_call_id: 'c3', tool_return: 'open', status: 'success' },
        ],
      },
    ]);
  });

  it('stream fragments of calls that need approval as parts of the request', () => {
    const delta = (fragment: object): TurnEvent => ({
      kind: 'delta',
      stepId: 'step-1',
      attempt: 1,
      messageId: answer.id,
      delta: { kind: 'tool_call', index: 0, ...fragment },
    });
    const chunks = stream([
      delta({ id: 'c1', name: 'open_door' }),
      delta({ arguments: '{"door":' }),
      delta({ arguments: '"front"}' }),
    ]);

    expect(chunks.length).toBeGreaterThan(0);
    expect(new Set(chunks.map(({ body }) => body.message_type))).toEqual(
      new Set(['approval_request_message']),
    );
    const args = chunks.map(({ body }) =>
      body.message_type === 'approval_request_message' ? (body.tool_call.arguments ?? '') : '',
    );
    expect(JSON.parse(args.join(''))).toEqual({ door: 'front' });
  });
});

function stream(events: readonly TurnEvent[]): Chunk[] {
  let state = streamStart;
  return events.flatMap((event, index) => {
    const logged = { turnId: 'run-1', seq: index + 1, event };
    const at = new Date('2026-01-31T12:00:00Z');
    const rendered = renderEvent(state, logged, { rendering, showsTokens: true }, { at });
    state = rendered.state;
    return rendered.chunks;
  });
}
