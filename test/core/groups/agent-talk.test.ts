import { describe, expect, it } from '@jest/globals';
import { type AgentReply, incomingText, replyEntry } from '../../../core/groups/agent-talk.js';

const reply = (outcome: AgentReply['outcome']): AgentReply => ({ agentId: 'agent-b', outcome });

describe('messages between agents', () => {
  it('name the sender and say where the response goes [agents.ask] [agents.tell]', () => {
    expect(incomingText({ agentId: 'agent-a', waits: true }, 'Hi.')).toBe(
      "[Incoming message from agent with ID 'agent-a' - your response will be delivered to the sender] Hi.",
    );
    expect(incomingText({ agentId: 'agent-a', waits: false }, 'Hi.')).toContain(
      'send_message_to_agent_async',
    );
  });

  it.each<[string, AgentReply['outcome'], boolean, RegExp]>([
    [
      'what the other agent said',
      { kind: 'ended', stopReason: 'end_turn', said: ['a', 'b'] },
      true,
      /"response":\["a","b"\]/,
    ],
    [
      'what the other agent said before it failed',
      { kind: 'ended', stopReason: 'error', said: ['a'] },
      true,
      /\["a"\]/,
    ],
    [
      'that the other agent said nothing',
      { kind: 'ended', stopReason: 'end_turn', said: [] },
      true,
      /<no response>/,
    ],
    [
      'that the other agent failed',
      { kind: 'ended', stopReason: 'llm_api_error', said: [] },
      false,
      /ended as llm_api_error/,
    ],
    [
      'that the other agent was cancelled',
      { kind: 'ended', stopReason: 'cancelled', said: [] },
      false,
      /ended as cancelled/,
    ],
    ['that the other agent did not answer in time', { kind: 'waiting' }, false, /not answer in time/],
    ['that there is no such agent', { kind: 'refused', why: 'unknown' }, false, /no agent with this ID/],
    ['that it asked itself', { kind: 'refused', why: 'self' }, false, /This is you/],
    ['what to do about a cycle', { kind: 'refused', why: 'cycle' }, false, /is waiting for you.*async/],
  ])('tell the asking agent %s [agents.ask-any-end]', (_what, outcome, ok, entry) => {
    const read = replyEntry(reply(outcome));

    expect(read.ok).toBe(ok);
    expect(JSON.stringify(read.entry)).toMatch(entry);
    expect(read.entry['agent_id']).toBe('agent-b');
  });
});
