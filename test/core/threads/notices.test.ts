import { describe, expect, it } from '@jest/globals';
import { haveOutgrown, nameAuthors, noticeOfChange, noticeOfFigures } from '../../../core/threads/notices.js';

describe('noticeOfChange', () => {
  it('[epoch.notices] shows the changed lines when they are shorter', () => {
    const before = Array.from({ length: 30 }, (_, line) => `line ${line}`).join('\n');
    const after = before.replace('line 3\n', 'three\n');

    expect(noticeOfChange({ label: 'tasks', before, after, by: 'a user' })).toMatchInlineSnapshot(`
     "Your memory block "tasks" was changed by a user. Changes ("-" lines were removed, "+" lines added):
     @@ -1,7 +1,7 @@
      line 0
      line 1
      line 2
     -line 3
     +three
      line 4
      line 5
      line 6"
    `);
  });

  it('shows the whole value when it is shorter', () => {
    expect(noticeOfChange({ label: 'tasks', before: 'one\ntwo', after: 'none', by: 'agent-2' })).toBe(
      'Your memory block "tasks" was changed by agent-2. Its value is now, to the end of this notice:\nnone',
    );
  });

  it('says that a block is empty', () => {
    expect(noticeOfChange({ label: 'tasks', before: 'one', after: '', by: 'a tool' })).toBe(
      'Your memory block "tasks" was changed by a tool. It is empty now.',
    );
  });
});

describe('noticeOfFigures', () => {
  it('counts what is outside the context', () => {
    expect(noticeOfFigures({ recallMessages: 1, archivalPassages: 2, tags: [] })).toMatchInlineSnapshot(`
     "Outside your context there is now:
     - 1 previous message between you and the user is stored in recall memory (use tools to access them)
     - 2 total memories you created are stored in archival memory (use tools to access them)"
    `);
  });
});

describe('nameAuthors', () => {
  const ada = { actor: 'agent', agentId: 'agent-1', name: 'Ada' } as const;
  const user = { actor: 'user', agentId: null, name: null } as const;

  it.each([
    ['an agent by its name', [ada], 'the agent "Ada"'],
    ['the reader itself', [{ ...ada, agentId: 'agent-9' }], 'you'],
    ['a deleted agent', [{ ...ada, name: null }], 'another agent'],
    ['a sleep-time agent', [{ ...ada, actor: 'sleep_time' as const }], 'the sleep-time agent "Ada"'],
    ['two authors', [ada, user], 'the agent "Ada" and a user'],
    ['an author of two changes once', [user, { ...user }], 'a user'],
    [
      'at most two authors and others',
      [ada, user, { ...user, actor: 'tool' as const }, { ...user, actor: 'runtime' as const }],
      'the agent "Ada", a user and others',
    ],
    ['an unknown author as somebody else', [], 'somebody else'],
  ])('[epoch.notices] names %s', (_, authors, names) => {
    expect(nameAuthors(authors, 'agent-9')).toBe(names);
  });
});

describe('haveOutgrown', () => {
  it.each([
    ['few notices of small blocks', { told: 3_000, more: 1_000, blocks: 100 }, false],
    ['many notices of small blocks', { told: 3_000, more: 1_001, blocks: 100 }, true],
    ['notices of large blocks', { told: 9_000, more: 1_000, blocks: 10_000 }, false],
    ['more notices than blocks', { told: 9_000, more: 1_001, blocks: 10_000 }, true],
  ])('[epoch.renewed] judges %s', (_, notices, outgrown) => {
    expect(haveOutgrown(notices)).toBe(outgrown);
  });
});
