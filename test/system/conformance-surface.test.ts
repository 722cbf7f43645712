import { surface } from '../conformance/shown/surface.js';
import { conformanceModel } from '../support/conformance-model.js';
import { describeConformance } from '../support/conformance.js';

const older = {
  counts: {
    agents: true,
    blocks: true,
    tools: true,
    tags: true,
    memory: ['human', 'persona'],
    active: 0,
    providers: true,
  },
  upkeep: {
    steps: [true],
    holders: [true],
    health: 'ok',
    edited: [true, 'Mina rows.', { page: 2 }],
    read: ['Mina rows.'],
    absent: 404,
    deleted: [true, 'completed', 404],
    left: [true, true],
    again: 404,
    providers: { message: 'Valid api key for provider_type: openai' },
    variables: { town: 'Oslo' },
    none: {},
    found: [false, true],
    end: null,
  },
};

const newer = {
  archives: {
    created: [true, 'openai/text-embedding-3-small'],
    pages: [2, 1],
    described: 'Sea songs.',
    passage: ['Mina sails.', ['sea'], { page: 1 }, true],
    many: ['Sid sings.', 'Ada sows.'],
    found: [['Mina sails.', true]],
    tagged: ['Mina sails.'],
    having: [true, false],
    own: ['Sid sings.'],
    without: 0,
    deleted: 404,
  },
  all_messages: {
    found: [['user_message', true, true]],
    own: ['user_message'],
    retrieved: [['user_message', true]],
    pages: true,
    missing: 404,
  },
  judgements: {
    metrics: [true, true, true],
    judged: ['positive', ['kind']],
    kept: ['positive'],
    others: 0,
    tags: true,
    missing: 404,
  },
};

describeConformance({
  title: 'an official client, of archives, searches and judgements',
  programs: '_surface',
  model: conformanceModel,
  shown: surface,
  requirement: () => 'wire.surface',
  expected: ({ generation }) => (generation === 0 ? older : newer),
});
