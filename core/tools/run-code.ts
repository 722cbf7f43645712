import { parameters, type BuiltinTool } from './builtin-tool.js';

/** Runs code that the agent wrote, apart from everything. */
export const runCode: BuiltinTool = {
  name: 'run_code',
  toolType: 'letta_builtin',
  description:
    'Runs code in a sandbox and returns the value of its last expression, what it printed, and its error if it failed. Nothing is kept between runs, and there is no network and no package beside the standard library. Use it to calculate and to work on text.',
  parameters: parameters({
    code: { type: 'string', description: 'The code.' },
    language: {
      type: 'string',
      enum: ['python', 'js', 'ts'],
      description: 'The language that the code is written in.',
    },
  }),
  tags: ['letta_builtin'],
  effect: 'searching',
};
