import type { Shown } from './shown.js';

/** Groups, which the clients of generation 0 alone have. */
export const groups: Shown = {
  test: 'test/system/conformance-groups.test.ts',
  areas: {
    sleeptime: { operations: ['groups.retrieve', 'groups.modify'] },
    groups: {
      operations: ['groups.create', 'groups.list', 'groups.count', 'groups.delete', 'agents.groups.list'],
    },
  },
};
