import { describe, expect, it } from '@jest/globals';
import { type AgentReply, incomingText, replyEntry } from '../../../core/groups/agent-talk.js';

const reply = (outcome: AgentReply['outcome']): AgentReply => ({ agentId: 'agent-b', outcome });

describe('what agents say to each other', () => {
  it('tells who speaks, and where the answer goes [agents.ask] [agents.tell]', () => {
    expect(incomingText({ agentId: 'agent-a', waits: true }, 'Hi.')).toBe(
      "[Incoming message from agent with ID 'agent-a' - your response will be delivered to the sender] Hi.",
    );
    expect(incomingText({ agentId: 'agent-a', waits: false }, 'Hi.')).toContain(
      'send_message_to_agent_async',
    );
  });

  it.each<[string, AgentReply['outcome'], boolean, RegExp]>([
    [
      'its words',
      { kind: 'ended', stopReason: 'end_turn', said: ['a', 'b'] },
      true,
      /"response":\["a","b"\]/,
    ],
    [
      'its words, though it failed later',
      { kind: 'ended', stopReason: 'error', said: ['a'] },
      true,
      /\["a"\]/,
    ],
    ['that it said nothing', { kind: 'ended', stopReason: 'end_turn', said: [] }, true, /<no response>/],
    [
      'that it failed',
      { kind: 'ended', stopReason: 'llm_api_error', said: [] },
      false,
      /ended as llm_api_error/,
    ],
    [
      'that it was cancelled',
      { kind: 'ended', stopReason: 'cancelled', said: [] },
      false,
      /ended as cancelled/,
    ],
    ['that its time is over', { kind: 'waiting' }, false, /not answer in time/],
    ['that there is none', { kind: 'refused', why: 'unknown' }, false, /no agent with this ID/],
    ['that it asked itself', { kind: 'refused', why: 'self' }, false, /This is you/],
    ['what to do about a cycle', { kind: 'refused', why: 'cycle' }, false, /is waiting for you.*async/],
  ])('tells the asking agent %s [agents.ask-any-end]', (_what, outcome, ok, entry) => {
    const read = replyEntry(reply(outcome));

    expect(read.ok).toBe(ok);
    expect(JSON.stringify(read.entry)).toMatch(entry);
    expect(read.entry['agent_id']).toBe('agent-b');
  });
});
