import { expect } from '@jest/globals';
import { tools } from '../conformance/shown/tools.js';
import { conformanceModel } from '../support/conformance-model.js';
import { describeConformance } from '../support/conformance.js';

const facts = {
  made: [true, 'custom', ['sums'], ['a', 'b']],
  upserted: [true, ['sums'], true],
  changed: [99, true],
  broken: { status: 400, detail: expect.stringMatching(/^The source is not valid Python: .* \(line 1\)\.$/) },
  deleted: 404,
};

describeConformance({
  title: 'an official client, of custom tools',
  programs: '_tools',
  model: conformanceModel,
  shown: tools,
  requirement: () => 'tools.clients',
  expected: ({ id, generation }) => ({
    custom_tools:
      generation === 0
        ? { ...facts, tried: ['success', '42'], base: true }
        : { ...facts, run: ['success', '42'], found: true },
    // Those of TypeScript: test/server/tools/tool-rules-clients.test.ts, with turns.
    ...(id.startsWith('py') ? { tool_rules: { sent: true, changed: true } } : {}),
  }),
});
