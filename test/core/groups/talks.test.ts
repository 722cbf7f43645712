import { describe, expect, it } from '@jest/globals';
import type { StopReason } from '../../../core/turns/stop-reasons.js';
import { supervisingRules } from '../../../core/tools/supervising.js';
import { decideTalk, type EndedTalkTurn, findNamed, type TalkPlan } from '../../../core/groups/talks.js';

const [ann, bob, cleo] = ['Ann', 'Bob', 'Cleo'].map((name) => ({
  agentId: `agent-${name}`,
  name,
  description: null,
})) as [TalkPlan['participants'][number], TalkPlan['participants'][number], TalkPlan['participants'][number]];

const plan = (more: Partial<TalkPlan>): TalkPlan => ({
  managerType: 'round_robin',
  managerAgentId: 'agent-Boss',
  participants: [ann, bob, cleo],
  description: '',
  maxTurns: 3,
  terminationToken: 'DONE!',
  ...more,
});

const spoke = (agentId: string, said = 'Hello.', stopReason: StopReason = 'end_turn'): EndedTalkTurn => ({
  agentId,
  role: 'speaking',
  said: said === '' ? [] : [said],
  stopReason,
});

const chose = (said: string): EndedTalkTurn => ({ ...spoke('agent-Boss', said), role: 'choosing' });

const everybody = (): boolean => true;
const allBut = (gone: string) => (agentId: string) => agentId !== gone;

const speak = (agentId: string) => ({ kind: 'speak', agentId });
const over = (stopReason: StopReason) => ({ kind: 'over', stopReason });

describe('the next speaker in a round-robin group [talk.round]', () => {
  it.each([
    ['is the first agent when nobody has spoken', [], everybody, speak('agent-Ann')],
    ['is the next in order', [spoke('agent-Ann')], everybody, speak('agent-Bob')],
    ['is never an agent that is gone', [spoke('agent-Ann')], allBut('agent-Bob'), speak('agent-Cleo')],
    [
      'is nobody after all turns',
      [spoke('agent-Ann'), spoke('agent-Bob'), spoke('agent-Cleo')],
      everybody,
      over('end_turn'),
    ],
    ['is nobody when all agents are gone', [], () => false, over('error')],
    [
      'is nobody, and the talk fails, when every turn failed',
      Array.from({ length: 3 }, () => spoke('agent-Ann', '', 'llm_api_error')),
      everybody,
      over('llm_api_error'),
    ],
    [
      'is nobody, and the talk succeeds, when one turn ended well',
      [spoke('agent-Ann'), ...Array.from({ length: 2 }, () => spoke('agent-Bob', '', 'error'))],
      everybody,
      over('end_turn'),
    ],
  ])('%s', (_who, turns, isThere, expected) => {
    expect(decideTalk(plan({}), turns, isThere)).toEqual(expected);
  });

  it('is the first agent again after the last one', () => {
    const turns = [spoke('agent-Ann'), spoke('agent-Bob'), spoke('agent-Cleo')];

    expect(decideTalk(plan({ maxTurns: 4 }), turns, everybody)).toEqual(speak('agent-Ann'));
  });
});

describe('the next speaker in a dynamic group [talk.dynamic] [talk.unclear-choice]', () => {
  const choose = (options: readonly unknown[], again = false) => ({
    kind: 'choose',
    agentId: 'agent-Boss',
    options,
    again,
  });

  it.each([
    ['is first chosen by the manager from all agents', [], everybody, choose([ann, bob, cleo])],
    ['is the agent that the manager named', [chose('Bob')], everybody, speak('agent-Bob')],
    [
      'is the agent that the manager named by id',
      [chose('I say agent-Cleo.')],
      everybody,
      speak('agent-Cleo'),
    ],
    [
      'is chosen by the manager from all but the last speaker',
      [chose('Bob'), spoke('agent-Bob')],
      everybody,
      choose([cleo, ann]),
    ],
    [
      'is chosen again after the manager named nobody',
      [chose('Hm.')],
      everybody,
      choose([ann, bob, cleo], true),
    ],
    [
      'is chosen again after the manager named two agents',
      [chose('Ann, Bob')],
      everybody,
      choose([ann, bob, cleo], true),
    ],
    [
      'is the next in order after two unclear choices',
      [chose('Hm.'), chose('Ann, Bob')],
      everybody,
      speak('agent-Ann'),
    ],
    [
      'is nobody after a speaker said the termination token',
      [chose('Bob'), spoke('agent-Bob', 'DONE!')],
      everybody,
      over('end_turn'),
    ],
    ['is nobody after the manager said the termination token', [chose('DONE!')], everybody, over('end_turn')],
    ['is nobody when the manager is gone', [], allBut('agent-Boss'), over('error')],
    [
      'is nobody after all turns',
      [chose('Bob'), spoke('agent-Bob'), chose('Ann'), spoke('agent-Ann'), chose('Bob'), spoke('agent-Bob')],
      everybody,
      over('end_turn'),
    ],
  ])('%s', (_who, turns, isThere, expected) => {
    expect(decideTalk(plan({ managerType: 'dynamic' }), turns, isThere)).toEqual(expected);
  });

  it('is chosen again from the only agent', () => {
    const alone = plan({ managerType: 'dynamic', participants: [ann] });

    expect(decideTalk(alone, [chose('Ann'), spoke('agent-Ann')], everybody)).toEqual(choose([ann]));
  });
});

describe('the next speaker in a supervisor group [talk.supervisor]', () => {
  it.each([
    ['is the manager', [], everybody, speak('agent-Boss')],
    [
      'is nobody after the manager, however its turn ended',
      [spoke('agent-Boss', '', 'max_steps')],
      everybody,
      over('max_steps'),
    ],
    ['is nobody when the manager is gone', [], allBut('agent-Boss'), over('error')],
  ])('%s', (_who, turns, isThere, expected) => {
    expect(decideTalk(plan({ managerType: 'supervisor' }), turns, isThere)).toEqual(expected);
  });

  it('must ask the group first, and then continues its turn', () => {
    const rules = supervisingRules([
      { kind: 'exit_loop', tool: 'send_message' },
      { kind: 'run_first', tool: 'archival_memory_search' },
    ]);

    expect(rules).toEqual([
      { kind: 'exit_loop', tool: 'send_message' },
      { kind: 'run_first', tool: 'send_message_to_all_agents_in_group' },
      { kind: 'continue_loop', tool: 'send_message_to_all_agents_in_group' },
    ]);
  });
});

describe('findNamed [talk.dynamic]', () => {
  const longer = { ...ann, agentId: 'agent-longer', name: 'Ann Lee' };
  const odd = { ...ann, agentId: 'agent-odd', name: 'Dr. (No)' };
  const twin = { ...ann, agentId: 'agent-twin' };

  it.each([
    ['ann!', [ann, bob], ann],
    ['Let Bob speak, Bob knows.', [ann, bob], bob],
    ['Annabel', [ann, bob], undefined],
    ['Jo-Ann', [ann, bob], undefined],
    ['Ann Lee', [ann, longer], longer],
    ['Ann', [ann, longer], ann],
    ['Dr. (No)', [ann, odd], odd],
    ['Ann', [ann, twin], undefined],
    ['agent-twin', [ann, twin], twin],
    ['Ann and Bob', [ann, bob], undefined],
    ['', [ann, bob], undefined],
  ])('finds the one agent that %j names, if any', (text, options, expected) => {
    expect(findNamed(text, options)).toEqual(expected);
  });
});
