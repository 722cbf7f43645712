import { describe, expect, it } from '@jest/globals';
import { toTime } from '../../cli/chat/slash.js';
import { renderContext } from '../../cli/render/context-bar.js';
import { paintUnified, renderChange } from '../../cli/render/diff.js';
import { createPaint } from '../../cli/render/paint.js';
import { renderTable } from '../../cli/render/table.js';
import { toAge, toFigure } from '../../cli/render/times.js';
import { createTurnLines } from '../../cli/render/turn-lines.js';
import type { TurnEvent } from '../../cli/turn-stream.js';

const plain = createPaint(false);
const colours = createPaint(true);

describe('a table', () => {
  const table = {
    head: ['name', 'text', 'tokens'],
    figures: [2],
    rows: [
      ['ada', 'one\ntwo', '12'],
      ['bo', 'a long text that has to give way', '12 345'],
    ],
  };

  it('aligns cells under their heads and figures to the right, each row on one line', () => {
    expect(renderTable(table, plain, Infinity)).toEqual([
      'name  text                              tokens',
      'ada   one two                               12',
      'bo    a long text that has to give way  12 345',
    ]);
  });

  it('shrinks the widest column to fit the terminal', () => {
    const lines = renderTable(table, plain, 30);

    expect(Math.max(...lines.map(({ length }) => length))).toBe(30);
    expect(lines[2]).toMatch(/^bo {4}a long te.*… {2}12 345$/);
  });
});

describe('a change', () => {
  it('is shown with one context line, without distant lines', () => {
    const before = 'a\nb\nc\nd\ne\nf';
    const after = 'a\nb\nC\nd\ne\nf\ng';

    expect(renderChange(before, after, plain)).toEqual(['  b', '- c', '+ C', '  d', '  …', '  f', '+ g']);
  });

  it('is empty when nothing changed, and all lines when the old text was empty', () => {
    expect(renderChange('a\nb', 'a\nb', plain)).toEqual([]);
    expect(renderChange('', 'a\nb', plain)).toEqual(['+ a', '+ b']);
  });

  it('underlines the differing words when a line replaces another', () => {
    const [before = '', after = ''] = renderChange('Name: not known', 'Name: Ada', colours);

    expect(before).toContain(colours.underline('not known'));
    expect(after).toContain(colours.underline('Ada'));
    expect(after).toContain('\u001b[32m');
  });

  it('is coloured in a unified diff', () => {
    expect(paintUnified('@@ -1 +1 @@\n-a\n+b\n c', colours)).toEqual([
      ...[colours.cyan('@@ -1 +1 @@'), colours.red('-a'), colours.green('+b'), ' c'],
    ]);
  });
});

describe('a turn', () => {
  const call = (args: string, name = ''): TurnEvent => ({
    message_type: 'tool_call_message',
    tool_call: { tool_call_id: 'c1', name, arguments: args },
  });

  it('continues its line while an answer streams, and shows a call once it is complete', () => {
    const lines = createTurnLines(plain, { agent: 'sam' });
    const events: TurnEvent[] = [
      { message_type: 'reasoning_message', id: 'm1', reasoning: 'I ' },
      { message_type: 'reasoning_message', id: 'm1', reasoning: 'note it.' },
      call('{"label": "human", ', 'core_memory_append'),
      call('"content": "Tea", "request_heartbeat": true}'),
      { message_type: 'tool_return_message', tool_return: 'Done.\nIt reads: Tea', status: 'success' },
      { message_type: 'assistant_message', id: 'm2', content: 'No' },
      { message_type: 'assistant_message', id: 'm2', content: 'ted.' },
      { message_type: 'stop_reason', stop_reason: 'end_turn' },
      { message_type: 'usage_statistics', step_count: 2, prompt_tokens: 12_414, completion_tokens: 65 },
    ];

    expect(events.map((event) => lines.show(event)).join('') + lines.end()).toBe(
      [
        '  I note it.',
        '→ core_memory_append(label: human, content: Tea)',
        '← Done. It reads: Tea',
        'sam  Noted.',
        '2 steps · 12 414 tokens read · 65 written',
        '',
      ].join('\n'),
    );
  });

  it('says that an answer broke off, why a turn failed, and what ended it', () => {
    const lines = createTurnLines(plain);
    const shown = [
      lines.show({ message_type: 'assistant_message', id: 'm1', content: 'Hel' }),
      lines.show({ message_type: 'system_message', content: '', abandoned_message_id: 'm1' }),
      lines.show({ message_type: 'stop_reason', stop_reason: 'max_steps' }),
      lines.show({ message_type: 'error_message', message: 'The model is not there.' }),
    ].join('');

    expect(shown).toBe(
      'agent  Hel\nThat answer broke off. The model is called again.\nended by max_steps\nThe turn failed: The model is not there.\n',
    );
  });
});

describe('a context window', () => {
  it('is one bar with a line for each part that is not empty', () => {
    const none = {
      ...{ num_tokens_external_memory_summary: 0, num_tokens_memory_filesystem: 0 },
      ...{ num_tokens_tool_usage_rules: 0, num_tokens_directories: 0, num_tokens_summary_memory: 0 },
    };
    const lines = renderContext(
      {
        ...none,
        ...{ context_window_size_max: 1_000, context_window_size_current: 500 },
        ...{ num_messages: 3, num_archival_memory: 0, num_recall_memory: 40 },
        ...{ num_tokens_system: 250, num_tokens_core_memory: 50, num_tokens_messages: 200 },
        num_tokens_functions_definitions: 0,
      },
      plain,
    );

    expect(lines[0]).toBe(`${'█'.repeat(30)}${'░'.repeat(30)}  500 of 1 000 tokens`);
    expect(lines.slice(1, -1).map((line) => line.replace(/\s+/g, ' '))).toEqual([
      ...['█ instructions 250', '█ core memory 50', '█ messages 200', '█ free 500'],
    ]);
    expect(lines.at(-1)).toBe('3 messages in context, 40 in recall, 0 passages in archival memory');
  });
});

describe('times and figures', () => {
  const now = Date.parse('2026-11-22T12:00:00Z');

  it.each([
    ['2026-11-22T11:55:00Z', '5 min ago'],
    ['2026-11-22T15:00:00Z', 'in 3 h'],
    ['2026-11-22T12:00:00Z', 'now'],
    [null, ''],
  ])('show how long ago something was: %s', (time, age) => {
    expect(toAge(time, now)).toBe(age);
  });

  it('separate thousands', () => {
    expect([toFigure(0), toFigure(999), toFigure(1_234_567), toFigure(null)]).toEqual([
      ...['0', '999', '1 234 567', ''],
    ]);
  });

  it('are parsed as people type them', () => {
    const at = new Date(now);

    expect(toTime('-10m', at)).toBe('2026-11-22T11:50:00.000Z');
    expect(toTime('2026-11-22T09:30Z', at)).toBe('2026-11-22T09:30:00.000Z');
    expect(new Date(toTime('14:05', at)).getMinutes()).toBe(5);
    expect(() => toTime('soon', at)).toThrow(/'soon' is no time/);
  });
});
