import type { Shown, ShownArea } from './shown.js';

const older: ShownArea['clients'] = ['py-0', 'ts-0'];
const newer: ShownArea['clients'] = ['py-1', 'ts-1'];

/** What is searched, counted and judged: archives, passages, messages, steps. */
export const surface: Shown = {
  test: 'test/system/conformance-surface.test.ts',
  areas: {
    archives: {
      clients: newer,
      operations: [
        'archives.create',
        'archives.retrieve',
        'archives.update',
        'archives.list',
        'archives.delete',
        'archives.passages.create',
        'archives.passages.create_many',
        'archives.passages.delete',
        'agents.archives.attach',
        'agents.archives.detach',
        'agents.passages.search',
        'passages.search',
      ],
    },
    'all messages': { clients: newer, operations: ['messages.list', 'messages.retrieve', 'messages.search'] },
    judgements: {
      clients: newer,
      operations: ['steps.metrics.retrieve', 'steps.feedback.create', 'tags.list'],
    },
    counts: {
      clients: older,
      operations: [
        'agents.count',
        'blocks.count',
        'tools.count',
        'tags.list',
        'agents.core_memory.retrieve',
        'runs.list_active',
        'providers.list',
      ],
    },
    upkeep: {
      clients: older,
      operations: [
        'health.check',
        'agents.passages.modify',
        'agents.search',
        'agents.memory_variables.list',
        'runs.delete',
        'runs.steps.list',
        'blocks.agents.list',
        'providers.check',
      ],
    },
  },
};
