import type { ShownArea, Shown } from './shown.js';

const newer: ShownArea['clients'] = ['py-1', 'ts-1'];

/** The foundation: agents and what is said to them. */
export const core: Shown = {
  test: 'test/system/conformance.test.ts',
  areas: {
    agents: {
      operations: ['agents.create', 'agents.retrieve', 'agents.list', 'agents.update', 'agents.delete'],
    },
    blocks: {
      operations: [
        'blocks.create',
        'blocks.retrieve',
        'blocks.update',
        'blocks.list',
        'blocks.delete',
        'agents.blocks.list',
        'agents.blocks.attach',
        'agents.blocks.detach',
        'agents.blocks.retrieve',
        'agents.blocks.update',
      ],
    },
    passages: {
      operations: ['agents.passages.create', 'agents.passages.list', 'agents.passages.delete'],
    },
    messages: {
      operations: ['agents.messages.create', 'agents.messages.create_async', 'agents.messages.list'],
    },
    stream: { operations: ['agents.messages.stream'] },
    resume: { operations: ['runs.messages.stream'], clients: newer },
    cancel: { operations: ['agents.messages.cancel'], clients: newer },
    runs: {
      operations: [
        'runs.list',
        'runs.retrieve',
        'runs.messages.list',
        'runs.usage.retrieve',
        'steps.retrieve',
        'steps.list',
      ],
    },
    'runs by newer clients': {
      operations: ['runs.steps.list', 'steps.messages.list', 'blocks.agents.list'],
      clients: newer,
    },
    tools: {
      operations: [
        'tools.list',
        'tools.retrieve',
        'agents.tools.list',
        'agents.tools.attach',
        'agents.tools.detach',
      ],
    },
    models: { operations: ['models.list', 'models.embeddings.list'] },
  },
};
