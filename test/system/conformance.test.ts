import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { core } from '../conformance/shown/core.js';
import { conformanceModel } from '../support/conformance-model.js';
import { describeConformance } from '../support/conformance.js';
import { lastSaid } from '../support/model-server.js';

/** How long the model pauses in the middle of an answer to "Good evening", in ms, so that its fragments are told apart. */
const pauseMs = 300;

/** What every client must see, for each area; what differs between the generations is asked for by their number. */
const expected: Readonly<Record<string, (generation: 0 | 1) => Record<string, unknown>>> = {
  agents: (generation) => ({
    created: ['agent 0', ['memgpt_agent', 'letta_v1_agent'][generation], 'new'],
    labels: ['human', 'persona'],
    model: 'openai/scripted',
    embedding: 'openai/text-embedding-3-small',
    pages: [['agent 2', 'agent 1'], [expect.stringMatching(/^agent 0$|^renamed$/)]],
    changed: ['renamed', 'changed', 2],
    found: [true],
    deleted: 404,
    left: 2,
  }),
  blocks: (generation) => ({
    created: ['one', 100, 'Notes.', false],
    attached: ['human', 'persona', true],
    values: ['two', 'three'],
    detached: ['human', 'persona'],
    listed: ['three'],
    deleted: 404,
    ...(generation === 1 ? { having: [true] } : {}),
  }),
  passages: () => ({
    pages: [['Mina sails.', 'Sid sings.'], ['Ada sows.']],
    found: ['Sid sings.'],
    left: ['Sid sings.', 'Ada sows.'],
  }),
  messages: (generation) => ({
    types: spoken(generation),
    said: answerTo('Good morning'),
    stop: 'end_turn',
    steps: 1,
    tokens: true,
    async: 'completed',
    history: [
      'system_message',
      ...['user_message', ...spoken(generation), 'user_message', ...spoken(generation)],
    ],
  }),
  stream: (generation) => ({
    types: [...spoken(generation), 'stop_reason', 'usage_statistics'],
    said: answerTo('Good morning'),
    stop: 'end_turn',
    fragments: true,
    joined: answerTo('Good evening'),
    ids: 1,
  }),
  runs: (generation) => ({
    status: 'completed',
    listed: [true],
    active: 0,
    said: answerTo('Good morning'),
    step: [true, 'scripted', true],
    ofAgent: 1,
    ...(generation === 1 ? { steps: ['success'], ofStep: 1 } : {}),
  }),
  tools: (generation) => ({
    found: ['conversation_search_date'],
    retrieved: 'conversation_search_date',
    attached: true,
    detached: false,
    base: [
      'archival_memory_insert',
      'archival_memory_search',
      'conversation_search',
      ...(generation === 0
        ? ['core_memory_append', 'core_memory_replace', 'send_message']
        : ['memory_insert', 'memory_replace']),
    ],
  }),
  models: () => ({ models: true, embeddings: true, health: 'ok' }),
  errors: () => ({
    unknown: {
      status: 404,
      detail: expect.stringMatching(/^Agent with ID agent-\S+ not found\. List the agents/),
    },
    malformed: { status: 422, detail: expect.stringContaining('agent-<uuid>') },
    unsent: { status: 404, detail: expect.stringContaining('not found') },
    label: { status: 404, detail: expect.stringContaining("no block labelled 'nothing'") },
    limit: { status: 422, detail: expect.stringContaining('Exceeds 5 character limit (requested 8)') },
    model: { status: 404, detail: expect.stringContaining('There is no model nobody/model') },
  }),
};

/** What only clients of 1.x can do. */
const expectedOfNewer: Readonly<Record<string, Record<string, unknown>>> = {
  resume: {
    joined: answerTo('Good evening'),
    last: ['stop_reason', 'usage_statistics'],
    same: true,
    rising: true,
  },
  cancel: { answer: 'cancelled', run: ['cancelled', 'cancelled'], again: 409 },
  // The client gave up several times and posted again: one turn, and its answer.
  retry: {
    said: answerTo('Hello'),
    runs: ['completed'],
    history: ['system_message', 'user_message', 'assistant_message'],
  },
};

describeConformance({
  title: 'an official client',
  model: conformanceModel,
  shown: core,
  byAll: true,
  requirement: (client) => `rest.client-${client}`,
  prepare: ({ model }) => {
    model.onHalfway = async (request) => {
      if (lastSaid(request).includes('evening')) await delay(pauseMs);
    };
  },
  expected: ({ generation }) => ({
    ...Object.fromEntries(Object.entries(expected).map(([area, of]) => [area, of(generation)])),
    ...(generation === 1 ? expectedOfNewer : {}),
  }),
});

/** The types of an answer: MemGPT agents think aloud before they speak. */
function spoken(generation: 0 | 1): string[] {
  return generation === 0 ? ['reasoning_message', 'assistant_message'] : ['assistant_message'];
}

function answerTo(said: string): string {
  return `${said} to you too, and thank you for coming by.`;
}
