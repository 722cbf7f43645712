import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packageFile } from '../../stack/processes.js';
import {
  type ChatRequest,
  lastReturned,
  lastSaid,
  type ModelServer,
  type Reply,
  startModelServer,
} from '../support/model-server.js';
import { type RecordingProxy, startRecordingProxy } from '../support/recording-proxy.js';
import { createRest } from '../support/server/rest.js';
import { startTestStack, type TestStack } from '../support/stack.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

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
  // An image that a tool returned comes as the user's.
  if (said.includes('data:image/')) return { text: 'It is grey.' };
  if (said.includes('picture')) {
    return step > 0
      ? { text: `I see none: ${lastReturned(request)}` }
      : callOf(request, viewers, /\S+\.png/.exec(said)?.[0] ?? '');
  }
  if (said.includes('my name is Chad')) {
    return step === 0
      ? { call: 'memory_insert', args: { label: 'human', new_string: 'Their name is Chad.' } }
      : { text: 'I wrote it down.' };
  }
  if (said.includes('six times seven')) {
    if (step > 0) return { text: lastReturned(request).includes('42') ? 'It is 42.' : lastReturned(request) };
    return callOf(request, shells, 'echo $((6*7)) > answer.txt && cat answer.txt');
  }
  if (said.includes('before')) {
    return { text: messages.some((text) => text.includes('Who am I')) ? 'Who you are.' : 'Nothing.' };
  }
  return { text: `You are ${/Their name is (\w+)/.exec(prompt ?? '')?.[1] ?? 'unknown'}.` };
}

/** What its toolsets call the tools that run a command, and show an image; each with the argument that matters. */
const shells = { exec_command: 'cmd', Bash: 'command', ShellCommand: 'command', Shell: 'command' };
const viewers = { ViewImage: 'path', Read: 'file_path', view_image: 'path' };

function callOf(request: ChatRequest, named: Readonly<Record<string, string>>, value: string): Reply {
  const offered = request.tools?.map((tool) => tool.function as OfferedTool) ?? [];
  const tool = offered.find(({ name }) => name in named);
  const argument = tool === undefined ? undefined : named[tool.name];
  if (tool === undefined || argument === undefined) {
    return { text: `I have ${offered.map(({ name }) => name).join(', ')}.` };
  }
  // Some want to be told what a call is for.
  const why = 'description' in tool.parameters.properties ? { description: 'As I was asked.' } : {};
  return { call: tool.name, args: { [argument]: value, ...why } };
}

interface OfferedTool {
  readonly name: string;
  readonly parameters: { readonly properties: object };
}

/** One grey pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';

/** What only Letta's cloud has; without it letta-code goes on. */
const ofCloud = /\/v1\/agents\/[^/]+\/(secrets|mcp-servers|repositories)$/;

const installed = (path: string): string => packageFile(`.cache/letta-code/node_modules/${path}`);

describe('letta-code, without a terminal', () => {
  let model: ModelServer;
  let stack: TestStack;
  let proxy: RecordingProxy;
  let home: string;
  let agentId: string;

  beforeAll(async () => {
    model = await startModelServer(coder);
    stack = await startTestStack(coder, {
      OPENAI_BASE_URL: model.baseUrl,
      ANTHROPIC_BASE_URL: model.baseUrl,
      GEMINI_BASE_URL: model.baseUrl,
    });
    proxy = await startRecordingProxy(stack.url);
    home = makeTemporaryDirectory('letta-code');
  }, 60_000);

  afterAll(async () => {
    await proxy.close();
    await stack.close();
    await model.close();
  });

  /** What it prints. */
  async function letta(...args: readonly string[]): Promise<string> {
    const env = {
      PATH: process.env['PATH'],
      HOME: home,
      LETTA_BASE_URL: proxy.url,
      LETTA_API_KEY: 'none',
      LETTA_CODE_TELEM: '0',
      LETTA_SKIP_KEYCHAIN_CHECK: '1',
      DISABLE_AUTOUPDATER: '1',
    };
    const program = [installed('@letta-ai/letta-code/letta.js'), ...args];
    const running = promisify(execFile)(process.execPath, program, {
      ...{ cwd: home, env },
      timeout: 50_000,
    });
    return (await running).stdout;
  }

  async function ask(prompt: string, ...args: readonly string[]): Promise<Result> {
    return JSON.parse(await letta('-p', prompt, '--output-format', 'json', ...args)) as Result;
  }

  it('makes an agent, which remembers what it is told', async () => {
    const tools = ['--base-tools', 'memory_insert,web_search'];
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

  it.each(['openai/gpt-4.1', 'anthropic/claude-sonnet-4-5-20250929', 'google_ai/gemini-2.5-pro'])(
    'runs tools of its own where the agent asks for it, and posts what came of it: the toolset of %s',
    async (model) => {
      const stream = ['--yolo', '--output-format', 'stream-json'];
      await rm(join(home, 'answer.txt'), { force: true });
      const asked = ['-p', 'How much is six times seven?', '--new-agent', '--model', model, ...stream];
      const lines = (await letta(...asked))
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      const [last] = lines.slice(-1);
      const picture = join(home, 'seen.png');
      await writeFile(picture, Buffer.from(pixel, 'base64'));
      const shown = await ask(
        `What is in the picture ${picture} ?`,
        ...['--agent', String(last?.['agent_id']), '--yolo'],
      );

      expect(last).toMatchObject({ type: 'result', subtype: 'success', result: 'It is 42.' });
      const stops = lines.flatMap(({ stop_reason: stop }) => (stop === undefined ? [] : [stop]));
      expect(stops).toEqual(['requires_approval', 'end_turn']);
      expect(lines.find((line) => line['message_type'] === 'tool_return_message')).toMatchObject({
        status: 'success',
        tool_return: expect.stringContaining('42'),
      });
      expect(await readFile(join(home, 'answer.txt'), 'utf8')).toBe('42\n');
      expect(shown.result).toBe('It is grey.');
    },
  );

  it('lists agents and finds messages', async () => {
    const agents = await letta('agents', 'list');
    const found = await letta('messages', 'search', '--query', 'six times seven', '--all-agents');

    expect(agents).toContain(agentId);
    expect(found).toContain('How much is six times seven?');
  });

  it('tells the agent of its skills', () => {
    const prompts = model.requests.map(({ messages }) => JSON.stringify(messages[0]?.content));

    expect(prompts.filter((prompt) => !prompt.includes('<available_skills>'))).toEqual([]);
  });

  it('was refused nothing that it needs', () => {
    expect(proxy.calls.length).toBeGreaterThan(20);
    const refused = proxy.calls.filter(({ status }) => status >= 400);
    expect(refused.filter(({ path, status }) => status !== 404 || !ofCloud.test(path))).toEqual([]);
  });
});
