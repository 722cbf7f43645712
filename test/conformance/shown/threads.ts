import type { Shown, ShownArea } from './shown.js';

const newer: ShownArea['clients'] = ['py-1', 'ts-1'];

/** Conversations, scheduled messages and tools of users' own. */
export const threads: Shown = {
  test: 'test/system/conformance-threads.test.ts',
  areas: {
    conversations: {
      clients: newer,
      operations: [
        'conversations.create',
        'conversations.retrieve',
        'conversations.update',
        'conversations.list',
        'conversations.delete',
        'conversations.fork',
        'conversations.messages.create',
        'conversations.messages.list',
      ],
    },
    'running conversation': {
      clients: newer,
      operations: ['conversations.messages.stream', 'conversations.cancel'],
    },
    schedules: {
      clients: newer,
      operations: [
        'agents.schedule.create',
        'agents.schedule.retrieve',
        'agents.schedule.list',
        'agents.schedule.delete',
      ],
    },
    'custom tools': { operations: ['tools.create', 'tools.upsert', 'tools.update', 'tools.delete'] },
  },
};
