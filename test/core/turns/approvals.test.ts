import { describe, expect, it } from '@jest/globals';
import {
  type ApprovalAnswer,
  type ApprovalDecision,
  decideCalls,
  deniedText,
  waitsForClient,
  withClientTools,
} from '../../../core/turns/approvals.js';

const approved = (toolCallId: string): ApprovalDecision => ({ kind: 'approved', toolCallId, reason: null });
const denied = (toolCallId: string, reason: string | null = null): ApprovalDecision => ({
  kind: 'denied',
  toolCallId,
  reason,
});
const all = (approve: boolean): ApprovalAnswer => ({ kind: 'all', approve, reason: 'so' });

describe('approvals and client tools', () => {
  it.each<[string, readonly ApprovalAnswer[], readonly string[], readonly ApprovalDecision[]]>([
    [
      'each call separately',
      [approved('a'), denied('b', 'no')],
      ['a', 'b'],
      [approved('a'), denied('b', 'no')],
    ],
    ['only some of the calls', [approved('b')], ['a', 'b'], [approved('b')]],
    ['no call that is not waiting', [approved('c')], ['a'], []],
    ['all calls with one answer', [all(false)], ['a', 'b'], [denied('a', 'so'), denied('b', 'so')]],
    ['nothing when no call is waiting', [all(true)], [], []],
    [
      'a call by the later of two answers',
      [approved('a'), denied('a', 'wait')],
      ['a'],
      [denied('a', 'wait')],
    ],
  ])('decide %s [approval.partial]', (_what, answers, waiting, decisions) => {
    expect(decideCalls(answers, waiting)).toEqual(decisions);
  });

  it('tell the model the reason for a denial [approval.deny]', () => {
    expect(deniedText('too risky')).toBe('Error: request to call tool denied. User reason: too risky');
    expect(deniedText(null)).toBe('Error: request to call tool denied. User reason: none given');
  });

  it('are needed by rule, and for every client tool [approval.setting] [approval.client-tool]', () => {
    const rules = [{ kind: 'requires_approval' as const, tool: 'risky' }];

    expect(waitsForClient({ name: 'risky', toolType: 'custom' }, rules)).toBe(true);
    expect(waitsForClient({ name: 'harmless', toolType: 'custom' }, rules)).toBe(false);
    expect(waitsForClient({ name: 'harmless', toolType: 'client' }, [])).toBe(true);
  });

  it('replace an agent’s tool with the client’s tool of the same name [approval.client-tool]', () => {
    const brought = { name: 'b', description: '', parameters: { type: 'object' as const, properties: {} } };

    const tools = withClientTools<{ name: string; client?: boolean }>(
      [{ name: 'a' }, { name: 'b' }],
      [brought],
      (schema) => ({
        name: schema.name,
        client: true,
      }),
    );

    expect(tools).toEqual([{ name: 'a' }, { name: 'b', client: true }]);
  });
});
