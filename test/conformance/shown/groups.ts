import type { Shown } from './shown.js';

/** Groups, which the clients of generation 0 alone have. */
export const groups: Shown = {
  test: 'test/system/conformance-groups.test.ts',
  areas: {
    sleeptime: { operations: ['groups.retrieve', 'groups.modify'] },
    talks: {
      operations: [
        'groups.messages.create',
        'groups.messages.create_stream',
        'groups.messages.list',
        'groups.messages.modify',
        'groups.messages.reset',
      ],
    },
    groups: {
      operations: ['groups.create', 'groups.list', 'groups.count', 'groups.delete', 'agents.groups.list'],
    },
  },
};
