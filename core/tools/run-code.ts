import { parameters, type BuiltinTool } from './builtin-tool.js';

/** Runs code that the agent wrote in an isolated sandbox. */
export const runCode: BuiltinTool = {
  name: 'run_code',
  toolType: 'letta_builtin',
  description:
    'Runs code in a sandbox and returns the value of its last expression, what it printed, and its error if it failed. Nothing is kept between runs, and there is no network and no package except the standard library. Use it to calculate and to work on text.',
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

/** Runs code that the agent wrote and that may call its tools. */
export const runCodeWithTools: BuiltinTool = {
  name: 'run_code_with_tools',
  toolType: 'letta_builtin',
  description:
    'Runs Python in a sandbox, in which each of your custom Python tools is a function of its name, and returns the value of the last expression, what was printed, and the error if it failed. Use it to call tools many times or to work on what they return. Tools that need an approval are not there, and tools that need secrets or change things on the server do not work there: call them by themselves.',
  parameters: parameters({ code: { type: 'string', description: 'The Python code.' } }),
  tags: ['letta_builtin'],
  effect: 'searching',
};
