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

describe('who is next in a round [talk.round]', () => {
  it.each([
    ['the first, where nobody spoke', [], everybody, speak('agent-Ann')],
    ['the next in order', [spoke('agent-Ann')], everybody, speak('agent-Bob')],
    ['the one after who is gone', [spoke('agent-Ann')], allBut('agent-Bob'), speak('agent-Cleo')],
    [
      'nobody, after all turns',
      [spoke('agent-Ann'), spoke('agent-Bob'), spoke('agent-Cleo')],
      everybody,
      over('end_turn'),
    ],
    ['nobody, where all are gone', [], () => false, over('error')],
    [
      'nobody, and it failed where every turn did',
      Array.from({ length: 3 }, () => spoke('agent-Ann', '', 'llm_api_error')),
      everybody,
      over('llm_api_error'),
    ],
    [
      'nobody, and it did not fail where one turn ended well',
      [spoke('agent-Ann'), ...Array.from({ length: 2 }, () => spoke('agent-Bob', '', 'error'))],
      everybody,
      over('end_turn'),
    ],
  ])('%s', (_who, turns, isThere, expected) => {
    expect(decideTalk(plan({}), turns, isThere)).toEqual(expected);
  });

  it('begins anew after the last, with more turns than agents', () => {
    const turns = [spoke('agent-Ann'), spoke('agent-Bob'), spoke('agent-Cleo')];

    expect(decideTalk(plan({ maxTurns: 4 }), turns, everybody)).toEqual(speak('agent-Ann'));
  });
});

describe('who is next in a dynamic group [talk.dynamic] [talk.unclear-choice]', () => {
  const choose = (options: readonly unknown[], again = false) => ({
    kind: 'choose',
    agentId: 'agent-Boss',
    options,
    again,
  });

  it.each([
    ['the manager first, of all', [], everybody, choose([ann, bob, cleo])],
    ['who was named', [chose('Bob')], everybody, speak('agent-Bob')],
    ['who was named by id', [chose('I say agent-Cleo.')], everybody, speak('agent-Cleo')],
    ['the manager, of all but who spoke', [chose('Bob'), spoke('agent-Bob')], everybody, choose([cleo, ann])],
    ['the manager again, where nobody was named', [chose('Hm.')], everybody, choose([ann, bob, cleo], true)],
    ['the manager again, where two were', [chose('Ann, Bob')], everybody, choose([ann, bob, cleo], true)],
    ['the next in order, after two such', [chose('Hm.'), chose('Ann, Bob')], everybody, speak('agent-Ann')],
    [
      'nobody, where a speaker ends it',
      [chose('Bob'), spoke('agent-Bob', 'DONE!')],
      everybody,
      over('end_turn'),
    ],
    ['nobody, where the manager ends it', [chose('DONE!')], everybody, over('end_turn')],
    ['nobody without a manager', [], allBut('agent-Boss'), over('error')],
    [
      'nobody, after all turns',
      [chose('Bob'), spoke('agent-Bob'), chose('Ann'), spoke('agent-Ann'), chose('Bob'), spoke('agent-Bob')],
      everybody,
      over('end_turn'),
    ],
  ])('%s', (_who, turns, isThere, expected) => {
    expect(decideTalk(plan({ managerType: 'dynamic' }), turns, isThere)).toEqual(expected);
  });

  it('is the only one again and again', () => {
    const alone = plan({ managerType: 'dynamic', participants: [ann] });

    expect(decideTalk(alone, [chose('Ann'), spoke('agent-Ann')], everybody)).toEqual(choose([ann]));
  });
});

describe('who is next where a manager leads [talk.supervisor]', () => {
  it.each([
    ['the manager', [], everybody, speak('agent-Boss')],
    [
      'nobody after it, however it ended',
      [spoke('agent-Boss', '', 'max_steps')],
      everybody,
      over('max_steps'),
    ],
    ['nobody where it is gone', [], allBut('agent-Boss'), over('error')],
  ])('%s', (_who, turns, isThere, expected) => {
    expect(decideTalk(plan({ managerType: 'supervisor' }), turns, isThere)).toEqual(expected);
  });

  it('asks the group before anything else, and then goes on', () => {
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

describe('whom a text names [talk.dynamic]', () => {
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
  ])('%j', (text, options, expected) => {
    expect(findNamed(text, options)).toEqual(expected);
  });
});
