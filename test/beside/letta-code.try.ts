import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packageFile } from '../../stack/processes.js';
import { type ChatRequest, lastReturned, lastSaid, type Reply } from '../support/model-server.js';
import { type RecordingProxy, startRecordingProxy } from '../support/recording-proxy.js';
import { createRest } from '../support/rest.js';
import { startTestStack, type TestStack } from '../support/stack.js';
import { makeTemporaryDirectory } from '../support/temporary.js';

/** What `--output-format json` prints. */
interface Result {
  readonly result: string;
  readonly agent_id: string;
  readonly conversation_id: string;
  readonly is_error: boolean;
  readonly usage: { readonly step_count: number };
}

/** Says what it knows: from its memory, from the conversation, from what a tool returned. */
function coder(request: ChatRequest, step: number): Reply {
  const [prompt, ...messages] = request.messages.map(({ content }) => JSON.stringify(content ?? ''));
  const said = lastSaid(request);
  if (said.includes('my name is Chad')) {
    return step === 0
      ? { call: 'memory_insert', args: { label: 'human', new_string: 'Their name is Chad.' } }
      : { text: 'I wrote it down.' };
  }
  if (said.includes('six times seven')) {
    return step === 0
      ? { call: 'ShellCommand', args: { command: 'echo $((6*7)) > answer.txt && cat answer.txt' } }
      : { text: `It is ${/\d\d/.exec(lastReturned(request))?.[0] ?? 'unknown'}.` };
  }
  if (said.includes('before')) {
    return { text: messages.some((text) => text.includes('Who am I')) ? 'Who you are.' : 'Nothing.' };
  }
  return { text: `You are ${/Their name is (\w+)/.exec(prompt ?? '')?.[1] ?? 'unknown'}.` };
}

const installed = (path: string): string => packageFile(`.cache/letta-code/node_modules/${path}`);

describe('letta-code, without a terminal', () => {
  let stack: TestStack;
  let proxy: RecordingProxy;
  let home: string;
  let agentId: string;

  beforeAll(async () => {
    stack = await startTestStack(coder);
    proxy = await startRecordingProxy(stack.url);
    home = makeTemporaryDirectory('letta-code');
  }, 60_000);

  afterAll(async () => {
    await proxy.close();
    await stack.close();
  });

  /** What it prints. */
  async function letta(...args: readonly string[]): Promise<string> {
    const env = {
      PATH: `${installed('node/bin')}:${process.env['PATH'] ?? ''}`,
      HOME: home,
      LETTA_BASE_URL: proxy.url,
      LETTA_API_KEY: 'none',
      LETTA_CODE_TELEM: '0',
      LETTA_SKIP_KEYCHAIN_CHECK: '1',
      DISABLE_AUTOUPDATER: '1',
    };
    const program = [installed('@letta-ai/letta-code/letta.js'), ...args];
    const running = promisify(execFile)(installed('node/bin/node'), program, {
      ...{ cwd: home, env },
      timeout: 50_000,
    });
    return (await running).stdout;
  }

  async function ask(prompt: string, ...args: readonly string[]): Promise<Result> {
    return JSON.parse(await letta('-p', prompt, '--output-format', 'json', ...args)) as Result;
  }

  it('makes an agent, which remembers what it is told', async () => {
    const tools = ['--base-tools', 'memory_insert,web_search', '--init-blocks', 'human,persona'];
    const told = await ask('Hello, my name is Chad.', '--new-agent', '--model', 'openai/gpt-4.1', ...tools);
    agentId = told.agent_id;

    expect(told).toMatchObject({ result: 'I wrote it down.', is_error: false, usage: { step_count: 2 } });
    const path = `/v1/agents/${agentId}/core-memory/blocks/human`;
    const human = await createRest(stack.url).read<{ value: string }>('GET', path);
    expect(human.value).toMatch(/Their name is Chad\.$/);
  });

  it('knows it in another conversation, and goes on with that', async () => {
    const asked = await ask('Who am I?', '--agent', agentId);
    const again = await ask('What did I ask before?', '--conversation', asked.conversation_id);

    expect(asked).toMatchObject({ result: 'You are Chad.', agent_id: agentId });
    expect(again).toMatchObject({ result: 'Who you are.', conversation_id: asked.conversation_id });
  });

  it('runs a tool of its own where the agent asks for it, and posts what came of it', async () => {
    const stream = ['--yolo', '--output-format', 'stream-json'];
    const lines = (await letta('-p', 'How much is six times seven?', '--agent', agentId, ...stream))
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

    expect(lines.flatMap((line) => (line['stop_reason'] === undefined ? [] : [line['stop_reason']]))).toEqual(
      ['requires_approval', 'end_turn'],
    );
    expect(lines.find((line) => line['message_type'] === 'tool_return_message')).toMatchObject({
      status: 'success',
      tool_return: '42',
    });
    expect(lines.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'It is 42.' });
    expect(await readFile(join(home, 'answer.txt'), 'utf8')).toBe('42\n');
  });

  it('lists agents and finds messages', async () => {
    const agents = await letta('agents', 'list');
    const found = await letta('messages', 'search', '--query', 'six times seven', '--all-agents');

    expect(agents).toContain(agentId);
    expect(found).toContain('How much is six times seven?');
  });

  it('tells the agent of its skills', () => {
    const prompts = stack.model.requests.map(({ messages }) => JSON.stringify(messages[0]?.content));

    expect(prompts.filter((prompt) => !prompt.includes('<available_skills>'))).toEqual([]);
  });

  it('was refused nothing', () => {
    expect(proxy.calls.length).toBeGreaterThan(20);
    expect(proxy.calls.filter(({ status }) => status >= 400)).toEqual([]);
  });
});
