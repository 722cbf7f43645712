import { randomUUID } from 'node:crypto';
import { defineExtension } from '../../../../core/extensions/extension.js';
import { memoryTool, messagingTool } from '../../../../core/extensions/tools.js';
import type { Decision } from '../../../../core/turns/turn.js';

const text = { type: 'string' };

/** Another one in each thread that loads this module. */
const born = randomUUID();

const doIt = memoryTool({
  name: 'do_it',
  description: 'Does what it is told.',
  parameters: { type: 'object', properties: { what: text }, required: ['what'] },
  sections: ['notes'],
  edit({ what }, { notes = '' }) {
    switch (what) {
      case 'copy':
        return [{ section: 'notes', kind: 'append', content: notes }];
      case 'born':
        return [{ section: 'notes', kind: 'append', content: born }];
      case 'throw':
        throw new Error('no luck');
      case 'nothing':
        return undefined as never;
      case 'nonsense':
        return [{ section: 'notes', kind: 'burn' }] as never;
      case 'promise':
        return Promise.resolve([]) as never;
      case 'exit':
        return process.exit(3);
      case 'later':
        setImmediate(() => {
          throw new Error('too late');
        });
        return [];
      default:
        for (;;);
    }
  },
});

/** Takes a line out of one section and puts it into another. */
const moveLine = memoryTool({
  name: 'move_line',
  description: 'Moves a line.',
  parameters: { type: 'object', properties: { line: text }, required: ['line'] },
  sections: ['notes', 'archive'],
  edit: ({ line }) => [
    { section: 'notes', kind: 'replace', old: String(line), new: '' },
    { section: 'archive', kind: 'append', content: String(line) },
  ],
});

/** An extension whose functions do wrong, as they are told. */
export default defineExtension({
  name: 'faulty',
  version: '7',
  tools: [
    doIt,
    moveLine,
    messagingTool({
      name: 'send_drawing',
      description: 'Draws.',
      parameters: { type: 'object', properties: { title: text, lines: text }, required: ['title', 'lines'] },
      argument: 'title',
    }),
  ],
  compile: (state, base) => {
    if (state.instructions.includes('loop')) for (;;);
    if (state.instructions.includes('throw')) throw new Error('no prompt');
    return `${base}\nThread ${state.threadId}.`;
  },
  decide: ({ earlierCalls: [answer = ''] }) => JSON.parse(answer) as Decision,
});
