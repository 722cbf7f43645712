import { describe, expect, it } from '@jest/globals';
import { type MemoryAction, readMemoryCommand, readMemoryPatch } from '../../../core/tools/memory-actions.js';

const patched = (label: string, patch: string): MemoryAction => ({
  kind: 'edit',
  label,
  operation: { kind: 'patch', patch },
});

describe('[memory-tool.commands] readMemoryCommand', () => {
  it.each<[args: Record<string, unknown>, action: MemoryAction]>([
    [{ command: 'view' }, { kind: 'view', label: null }],
    [
      { command: 'view', path: '/memories/' },
      { kind: 'view', label: null },
    ],
    [
      { command: 'view', path: '/memories/human' },
      { kind: 'view', label: 'human' },
    ],
    [
      { command: 'create', path: '/memories/plans', file_text: 'Sail.', description: 'What to do.' },
      { kind: 'create', label: 'plans', value: 'Sail.', description: 'What to do.' },
    ],
    [
      { command: 'create', path: 'plans' },
      { kind: 'create', label: 'plans', value: '', description: undefined },
    ],
    [
      { command: 'str_replace', path: '/memories/a/b', old_string: 'x', new_string: '' },
      { kind: 'edit', label: 'a/b', operation: { kind: 'replace', old: 'x', new: '', all: false } },
    ],
    [
      { command: 'insert', path: '/human', insert_text: 'x', insert_line: 0 },
      { kind: 'edit', label: 'human', operation: { kind: 'insert', content: 'x', line: 0 } },
    ],
    [
      { command: 'insert', path: 'memories/human', insert_text: 'x' },
      { kind: 'edit', label: 'human', operation: { kind: 'insert', content: 'x', line: -1 } },
    ],
    [
      { command: 'insert', path: 'human', insert_text: 'x', insert_line: null },
      { kind: 'edit', label: 'human', operation: { kind: 'insert', content: 'x', line: -1 } },
    ],
    [
      { command: 'rename', path: '/memories/a', description: 'New.', old_path: '', new_path: '' },
      { kind: 'describe', label: 'a', description: 'New.' },
    ],
    [
      { command: 'delete', path: '/memories/memories' },
      { kind: 'delete', label: 'memories' },
    ],
    [
      { command: 'rename', old_path: '/memories/a', new_path: '/memories/b' },
      { kind: 'rename', label: 'a', to: 'b' },
    ],
    [
      { command: 'rename', path: '/memories/a', description: 'New.' },
      { kind: 'describe', label: 'a', description: 'New.' },
    ],
  ])('understands %j', (args, action) => {
    expect(readMemoryCommand(args)).toEqual({ ok: true, actions: [action] });
  });

  it.each<[args: Record<string, unknown>, message: RegExp]>([
    [
      { command: 'append', path: '/memories/a' },
      /no command 'append'.*view, create, str_replace, insert, delete, rename/,
    ],
    [{ command: 'create', file_text: 'x' }, /^The command create needs path\./],
    [{ command: 'str_replace', path: '/memories/a' }, /needs old_string and new_string\./],
    [{ command: 'insert', path: '/memories/a' }, /needs insert_text\./],
    [{ command: 'delete' }, /needs path\./],
    [
      { command: 'rename', path: '/memories/a' },
      /needs description \(or old_path and new_path, to change its label\)\./,
    ],
    [{ command: 'rename', old_path: '/memories/a' }, /needs new_path\./],
    [{ command: 'rename', old_path: '/memories/a', new_path: '' }, /needs new_path\./],
    [{ command: 'str_replace', path: 'a', old_string: 'x', new_string: null }, /needs new_string\./],
    [{ command: 'rename', old_path: '/memories/a', new_path: '/memories/' }, /names no memory block/],
    [{ command: 'delete', path: '/memories' }, /names no memory block/],
  ])('[memory-tool.refused] says what is wrong with %j', (args, message) => {
    expect(readMemoryCommand(args)).toEqual({ ok: false, message: expect.stringMatching(message) });
  });
});

describe('[patch.sections] readMemoryPatch', () => {
  it.each<[what: string, patch: string, actions: readonly MemoryAction[]]>([
    ['a patch without sections as an edit of one block', '-a\n+b', [patched('human', '-a\n+b')]],
    [
      'added blocks with their descriptions',
      '*** Add Block: plans\nDescription: What to do.\n+Sail.\n\n+Sleep.\n*** End Patch',
      [{ kind: 'create', label: 'plans', value: 'Sail.\n\nSleep.', description: 'What to do.' }],
    ],
    [
      'edited, renamed and deleted blocks, in order',
      '*** Begin Patch\n*** Update Block: a\n-x\n+y\n*** Move to: b\n*** Delete Block: c',
      [patched('a', '-x\n+y'), { kind: 'rename', label: 'a', to: 'b' }, { kind: 'delete', label: 'c' }],
    ],
    [
      'a move before the lines of an edit',
      '*** Update Block: a\n*** Move to: b\n@@\n-x\n+y',
      [patched('a', '@@\n-x\n+y'), { kind: 'rename', label: 'a', to: 'b' }],
    ],
    [
      'lines before the first section as an edit of the given block',
      '*** Begin Patch\n-x\n+y\n*** Delete Block: c\n*** End Patch',
      [patched('human', '-x\n+y'), { kind: 'delete', label: 'c' }],
    ],
    ['a move alone', '*** Update Block: a\n*** Move to: b', [{ kind: 'rename', label: 'a', to: 'b' }]],
    [
      'moves in a row',
      '*** Update Block: a\n*** Move to: b\n*** Move to: c',
      [
        { kind: 'rename', label: 'a', to: 'b' },
        { kind: 'rename', label: 'b', to: 'c' },
      ],
    ],
  ])('understands %s', (_what, patch, actions) => {
    expect(readMemoryPatch('human', patch)).toEqual({ ok: true, actions });
  });

  it.each<[label: string, patch: string, message: RegExp]>([
    [' ', '-a', /names no memory block: give its label/],
    ['a', '*** Add Block:\n+x', /^\*\*\* Add Block: names no memory block/],
    ['a', '*** Move to: b', /must follow the section of the block/],
    ['a', '*** Delete Block: a\n*** Move to: b', /must follow the section of the block/],
    ['a', '*** Update Block: a', /changes nothing/],
    ['', '-x\n+y\n*** Delete Block: c', /names no memory block: give its label/],
    [
      'a',
      '*** Add Block: b\n+Sail.\nSleep.',
      /^Each line of \*\*\* Add Block: b must begin with "\+", but `Sleep\.` does not/,
    ],
    [
      'a',
      '*** Delete Block: b\n*** Add File: c\n+x',
      /^\*\*\* Delete Block: b must not be followed by `\*\*\* Add File: c\n\+x`/,
    ],
  ])('[memory-tool.refused] says what is wrong: %j, %j', (label, patch, message) => {
    expect(readMemoryPatch(label, patch)).toEqual({ ok: false, message: expect.stringMatching(message) });
  });
});
