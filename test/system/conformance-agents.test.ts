import { agents } from '../conformance/shown/agents.js';
import { describeConformance } from '../support/conformance.js';
import { conformanceModel } from '../support/conformance-model.js';
import { type ChatRequest, lastSaid, type Reply } from '../support/model-server.js';

const greeting = 'Good morning to you too, and thank you for coming by.';

/** Notes what it is to remember, summarises where it has no tools, and else answers greetings. */
function model(request: ChatRequest, step: number): Reply | Promise<Reply> {
  if ((request.tools?.length ?? 0) === 0) return { text: 'We greeted each other.' };
  if (step === 0 && lastSaid(request).includes('Remember')) {
    return { call: 'memory_insert', args: { label: 'human', new_string: 'Sails.' } };
  }
  return conformanceModel(request);
}

const transfer = {
  names: ['Ada_copy', 'Ada'],
  blocks: ['I am Sam.', 'Unknown.'],
  said: true,
  left: 1,
  refused: 422,
};

const insight = {
  ...{ window: 16_000, fits: true, core: true, tools: true },
  messages: ['user', 'assistant', 'tool'],
};

const identities = {
  taken: 409,
  upserted: [true, 'Ann', 'org'],
  read: ['Bob', [], ['pro']],
  pages: [['cid', 'Bob'], ['Ann']],
  counted: true,
  of: [true],
  unknown: 404,
};

const newer = {
  identities: { held: [true], left: [] },
  recompiling: { prompt: true, done: true, thread: true },
  conversations: {
    pages: [['three', 'two'], ['one']],
    updated: ['first', true],
    said: [greeting],
    listed: [3, 3],
    resumed: [greeting],
    compacted: true,
    cancelled: 409,
    deleted: 404,
  },
  approvals: {
    waits: 'requires_approval',
    pending: true,
    approved: ['tool_return_message', 'assistant_message'],
    edited: true,
    denied: ['error'],
    returned: ['Done elsewhere.'],
    unknown: 400,
    cancelled: ['cancelled'],
    left: null,
  },
  between: { compacted: true, left: 1 },
  transfer: {
    ...transfer,
    names: ['Eve', 'Ada'],
    secrets: [false, ['********']],
    scrubbed: [true, false],
  },
};

describeConformance({
  title: 'an official client of agents with several threads and people in between',
  programs: '_agents',
  model,
  shown: agents,
  requirement: () => 'agents.clients',
  expected: ({ generation }) =>
    generation === 1
      ? newer
      : {
          between: { edited: ['Good night', 'Good night', 'Sleep well'], left: 1 },
          transfer,
          insight,
          identities,
        },
});
