import { describe, expect, it } from '@jest/globals';
import { createToolImplementations, implementationOf } from '../../../activities/tools/implementations.js';
import { noExtensions } from '../../../adapters/extensions/open-extensions.js';
import { builtinTools } from '../../../core/tools/tools.js';
import { clientToolType } from '../../../core/turns/approvals.js';
import { done, type ToolImplementation } from '../../../activities/tools/outcome.js';

const ours: ToolImplementation = {
  kind: 'transactional',
  run: () => Promise.resolve(done('Ours.')),
};
const implementations = new Map([
  ['fetch_webpage', ours],
  ['sing', ours],
]);

describe('[seeds.override] implementationOf', () => {
  it.each([
    { name: 'fetch_webpage', toolType: 'letta_builtin', whose: 'the runtime’s', found: ours },
    { name: 'sing', toolType: 'extension', whose: 'an extension’s', found: ours },
    { name: 'fetch_webpage', toolType: 'custom', whose: 'a user’s', found: undefined },
    { name: 'fetch_webpage', toolType: 'external_mcp', whose: 'an MCP server’s', found: undefined },
    { name: 'fetch_webpage', toolType: clientToolType, whose: 'a client’s', found: undefined },
    { name: 'fetch_webpage', toolType: null, whose: 'a tool that the agent no longer has', found: undefined },
  ])('depends on the owner of the tool: $whose', ({ name, toolType, found }) => {
    expect(implementationOf(implementations, { name, toolType })).toBe(found);
  });
});

// The tools are created here and never run.
const deps = { extensions: noExtensions } as Parameters<typeof createToolImplementations>[0];
const runtimeTools = createToolImplementations(deps);

describe('[tools.base-names] the runtime’s tools', () => {
  it('all have an implementation', () => {
    expect([...runtimeTools.keys()].sort()).toEqual(builtinTools.map(({ name }) => name).sort());
  });
});

describe('[tools.effects] the effect by which the workflow runs a tool', () => {
  const kinds = {
    pure: ['transactional'],
    transactional: ['transactional'],
    editing: ['transactional'],
    searching: ['searching', 'outside'],
    asking: ['asking'],
  } as const;

  it.each(builtinTools.map(({ name, effect }) => ({ name, effect })))(
    'fits the implementation of $name: $effect',
    ({ name, effect }) => {
      expect(kinds[effect]).toContain(runtimeTools.get(name)?.kind);
    },
  );
});
