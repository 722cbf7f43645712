import { groups } from '../conformance/shown/groups.js';
import { broadcastTool } from '../../core/tools/supervising.js';
import { conformanceModel } from '../support/conformance-model.js';
import { describeConformance } from '../support/conformance.js';
import type { ChatRequest, Reply } from '../support/model-server.js';

const [morning, evening] = ['morning', 'evening'].map(
  (part) => `Good ${part} to you too, and thank you for coming by.`,
);

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
  talks: {
    said: {
      round_robin: [
        ['Ann', 'Ann', morning],
        ['Bob', 'Bob', morning],
        ['Ann', 'Ann', morning],
      ],
      supervisor: [['Boss', 'Boss', morning]],
      dynamic: [
        ['Boss', 'Boss', 'Ann'],
        ['Ann', 'Ann', morning],
        ['Boss', 'Boss', 'Bob'],
        ['Bob', 'Bob', morning],
      ],
    },
    cost: [3, 4],
    streamed: [
      ['Ann', 'Ann', evening],
      ['Bob', 'Bob', evening],
      ['Ann', 'Ann', evening],
    ],
    end: ['assistant_message', 'usage_statistics'],
    pages: [true, true],
    changed: ['Changed.', true],
    unknown: 404,
    reset: 0,
  },
};

/** Agents who answer a greeting; a manager that asks its group first, or names who is next. */
function groupModel(request: ChatRequest): Reply | Promise<Reply> {
  const offered = request.tools?.map((tool) => tool.function.name) ?? [];
  if (offered.length === 1 && offered[0] === broadcastTool) {
    return { call: broadcastTool, args: { thinking: 'I ask them.', message: 'Good evening' } };
  }
  const choices = JSON.stringify(request.messages).matchAll(/Choose who speaks next: ‘(\w+)’/g);
  const next = [...choices].at(-1)?.[1];
  return next === undefined ? conformanceModel(request) : { call: 'send_message', args: { message: next } };
}

describeConformance({
  title: 'an official client of groups',
  programs: '_groups',
  model: groupModel,
  shown: groups,
  requirement: () => 'sleep.clients',
  expected: ({ generation }) => (generation === 0 ? older : {}),
});
