import { threads } from '../conformance/shown/threads.js';
import { conformanceModel } from '../support/conformance-model.js';
import { describeConformance } from '../support/conformance.js';

const customTools = {
  made: [true, 'custom', ['sides']],
  same: true,
  read: [true, ['dice']],
  taken: 409,
  wrong: 400,
  deleted: 404,
};

const newer = {
  conversations: {
    made: [true, 'talk 0'],
    pages: [2, 1],
    changed: 'sea',
    said: ['Good morning to you too, and thank you for coming by.'],
    history: [['system_message'], ['user_message']],
    apart: 1,
    copied: [true, ['system_message', 'user_message', 'assistant_message']],
    deleted: 404,
  },
  running_conversation: { begun: 'ping', resumed: 'ping', cancelled: ['cancelled'], again: 409 },
  schedules: {
    read: [true, 'Good morning', true],
    pages: [2, true, 1, false],
    deleted: 404,
    wrong: 422,
  },
  custom_tools: customTools,
};

describeConformance({
  title: 'an official client, of conversations, schedules and tools',
  programs: '_threads',
  model: conformanceModel,
  shown: threads,
  requirement: () => 'wire.threads',
  expected: ({ generation }) => (generation === 0 ? { custom_tools: customTools } : newer),
});
