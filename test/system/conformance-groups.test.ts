import { groups } from '../conformance/shown/groups.js';
import { conformanceModel } from '../support/conformance-model.js';
import { describeConformance } from '../support/conformance.js';

const older = {
  sleeptime: {
    group: ['sleeptime', true, 5],
    partner: ['sleeptime_agent', true],
    changed: 2,
    read: 2,
  },
  groups: {
    made: ['Beside Sam', true, 3],
    changed: ['Two beside Sam', true, 3],
    is_counted: true,
    listed: ['Two beside Sam'],
    of: [true],
    unknown: 404,
    twice: 409,
    deleted: 404,
  },
};

describeConformance({
  title: 'an official client of groups',
  programs: '_groups',
  model: conformanceModel,
  shown: groups,
  requirement: () => 'sleep.clients',
  expected: ({ generation }) => (generation === 0 ? older : {}),
});
