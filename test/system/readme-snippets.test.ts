import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createScreen } from '../../stack/tour/screen.js';
import { showNext } from '../../stack/tour/next.js';
import { conformanceModel } from '../support/conformance-model.js';
import { readProjectFile } from '../support/house/project-files.js';
import { pythonWith } from '../support/python-clients.js';
import { shareTestStack, type TestStack } from '../support/stack.js';

const run = promisify(execFile);

describe('[house.snippets-run] what a newcomer copies', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await shareTestStack(conformanceModel);
  });

  afterAll(() => stack.close());

  /** As whoever says `pip install letta-client` has it, without a key in the environment. */
  async function runPython(code: string): Promise<string> {
    const env = { ...process.env, LETTA_API_KEY: undefined };
    const { stdout } = await run(await pythonWith('1.12.1'), ['-c', code], { env });
    return stdout;
  }

  it('from README runs with the Python client of today, and prints the agent’s answer', async () => {
    const [, snippet = ''] = /^```python\n([^`]+)```/m.exec(readProjectFile('README.md')) ?? [];

    const printed = await runPython(snippet.replace('http://localhost:8283', stack.url));

    expect(printed).toContain('thank you for coming by');
  });

  it('from the end of the quickstart runs with it, and prints the agent’s blocks', async () => {
    const body = { model: 'perdure/demo', memory_blocks: [{ label: 'human', value: 'Name: Ada' }] };
    const made = await fetch(`${stack.url}/v1/agents/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { id } = (await made.json()) as { id: string };
    let shown = '';
    const screen = createScreen((text) => (shown += text));
    showNext(screen, {
      agentId: id,
      model: 'perdure/demo',
      api: stack.url,
      namespace: 'default',
      home: '/',
      isUp: true,
    });
    const [, snippet = ''] = /letta-client:\n((?: {2}.*\n)+)/.exec(shown) ?? [];

    expect(await runPython(snippet.replaceAll(/^ {2}/gm, ''))).toBe('human Name: Ada\n');
  });
});
