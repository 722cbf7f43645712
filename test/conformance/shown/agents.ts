import type { Shown, ShownArea } from './shown.js';

const newer: ShownArea['clients'] = ['py-1', 'ts-1'];

/** Several threads, people in between, and what is done between turns. */
export const agents: Shown = {
  test: 'test/system/conformance-agents.test.ts',
  areas: {
    conversations: {
      operations: [
        'conversations.create',
        'conversations.retrieve',
        'conversations.update',
        'conversations.list',
        'conversations.delete',
        'conversations.fork',
        'conversations.messages.create',
        'conversations.messages.list',
        'conversations.messages.compact',
        'conversations.messages.stream',
      ],
    },
    approvals: { operations: ['agents.tools.update_approval', 'agents.messages.cancel'], clients: newer },
    between: { operations: ['agents.messages.reset', 'agents.messages.modify'] },
    identities: {
      operations: [
        'identities.create',
        'identities.upsert',
        'identities.list',
        'identities.count',
        'identities.retrieve',
        'identities.modify',
        'identities.delete',
        'identities.properties.upsert',
        'agents.identities.attach',
        'agents.identities.detach',
      ],
    },
    insight: { operations: ['agents.context.retrieve'] },
    recompiling: { operations: ['agents.recompile', 'conversations.recompile'] },
    transfer: { operations: ['agents.export_file', 'agents.import_file'] },
    'between by newer clients': { operations: ['agents.messages.compact'], clients: newer },
  },
};
