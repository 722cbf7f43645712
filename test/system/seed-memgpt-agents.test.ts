import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compileProgram } from '../../adapters/settings/compile.js';
import { packageFile } from '../../stack/processes.js';
import { type ChatRequest, lastReturned, type Reply } from '../support/model-server.js';
import { pythonWith } from '../support/python-clients.js';
import { createRest } from '../support/server/rest.js';
import { shareTestStack, type SharedStack } from '../support/stack.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

/** It looks a height up, converts it by a program, and says what came out: nothing that it was not told. */
function curious(request: ChatRequest, step: number): Reply {
  const returned = lastReturned(request);
  if (step === 0)
    return act('web_search', { query: 'height of the Shanghai Tower', request_heartbeat: true });
  if (step === 1) {
    const metres = /(\d+) metres/.exec(returned)?.[1] ?? '0';
    const code = `print("in feet")\nround(${metres} / 0.3048)`;
    return act('run_code', { language: 'python', code, request_heartbeat: true });
  }
  const feet = /results\D*(\d+)/.exec(returned)?.[1] ?? 'no';
  return act('send_message', { message: `It is ${feet} feet high.` });
}

function act(call: string, args: Record<string, unknown>): Reply {
  return { call, args: { thinking: `I use ${call}.`, ...args } };
}

const base = ['send_message', 'conversation_search', 'archival_memory_insert', 'archival_memory_search'];
const baseTools = {
  memgpt_agent: [...base, 'core_memory_append', 'core_memory_replace'],
  memgpt_v2_agent: [
    ...base,
    ...['memory_insert', 'memory_replace', 'memory_rethink'],
    ...['open_file', 'grep_file', 'search_file', 'recall'],
  ],
};
type Kind = keyof typeof baseTools;

/** As the document has it in each language; and the other type, which its comment names. */
const runs = [
  ['Python', 'memgpt_v2_agent'],
  ['TypeScript', 'memgpt_v2_agent'],
  ['cURL', 'memgpt_v2_agent'],
  ['cURL', 'memgpt_agent'],
] as const satisfies readonly (readonly [string, Kind])[];
type Language = (typeof runs)[number][0];

const run = promisify(execFile);

describe('the document’s MemGPT agents', () => {
  let stack: SharedStack;
  let python: string;
  let directory: string;

  beforeAll(async () => {
    [stack, python] = await Promise.all([shareTestStack(curious), pythonWith('0.1.172')]);
    stack.web.pages = [
      { title: 'Shanghai Tower', url: 'https://towers.example/shanghai', content: 'It rises 632 metres.' },
    ];
    directory = makeTemporaryDirectory('memgpt-agents');
    // The package has this name here: node_modules has two versions of it.
    await mkdir(join(directory, 'node_modules', '@letta-ai'), { recursive: true });
    await symlink(
      packageFile('node_modules/letta-client-0'),
      join(directory, 'node_modules', '@letta-ai', 'letta-client'),
    );
  });

  afterAll(() => stack.close());

  /** Runs the document's snippet, with another base URL and, for a v1 agent, the type that its comment names. */
  async function runSnippet(language: Language, kind: Kind): Promise<void> {
    const written = async (suffix: string, address: readonly [string, string], name = suffix) => {
      const snippet = await readFile(packageFile(`test/seeds/memgpt_agents.${suffix}`), 'utf8');
      const file = join(directory, `${kind}.${name}`);
      await writeFile(file, snippet.replace(...address).replace('"memgpt_v2_agent"', `"${kind}"`));
      return file;
    };
    switch (language) {
      case 'Python': {
        const file = await written('py', ['Letta(', `Letta(base_url="${stack.url}", `]);
        await run(python, [file]);
        return;
      }
      case 'TypeScript': {
        const file = await written('ts', ['{ token', `{ baseUrl: "${stack.url}", token`], 'mts');
        const compiled = file.replace(/mts$/, 'mjs');
        await writeFile(compiled, await compileProgram(file, directory));
        await run(process.execPath, [compiled]);
        return;
      }
      case 'cURL': {
        const file = await written('sh', ['https://api.letta.com', stack.url]);
        await run('sh', [file]);
      }
    }
  }

  it.each(runs)(
    '[seeds.memgpt-agents] of the snippet in %s, as %s, search the web and run code in a turn',
    async (language, kind) => {
      const rest = createRest(stack.url);
      const list = () => rest.read<readonly Made[]>('GET', '/v1/agents/?order=desc');
      const before = new Set((await list()).map(({ id }) => id));

      await runSnippet(language, kind);

      const [agent, ...others] = (await list()).filter(({ id }) => !before.has(id));
      expect(others).toEqual([]);
      expect(agent).toMatchObject({ agent_type: kind, model: 'openai/gpt-4.1' });
      expect(agent!.embedding).toBe('openai/text-embedding-3-small');
      expect(agent!.blocks.map(({ label, value }) => [label, value])).toEqual([
        ['human', "The human's name is Chad. They like vibe coding."],
        ['persona', 'My name is Sam, the all-knowing sentient AI.'],
      ]);
      const tools = agent!.tools.map(({ name }) => name);
      expect(tools).toEqual(expect.arrayContaining([...baseTools[kind], 'web_search', 'run_code']));

      const asked = stack.web.queries.length;
      const messages = [{ role: 'user', content: 'How high is the Shanghai Tower, in feet?' }];
      const answer = await rest.read<Answered>('POST', `/v1/agents/${agent!.id}/messages`, { messages });

      expect(stack.web.queries.slice(asked)).toEqual(['height of the Shanghai Tower']);
      const [, , searched, , , ran, , said] = answer.messages;
      expect(searched).toMatchObject({ message_type: 'tool_return_message', status: 'success' });
      expect(JSON.parse(searched!.tool_return ?? '')).toEqual([
        {
          title: 'Shanghai Tower',
          url: 'https://towers.example/shanghai',
          excerpt: 'It rises 632 metres.',
          published: null,
        },
      ]);
      expect(ran).toMatchObject({ message_type: 'tool_return_message', status: 'success' });
      expect(JSON.parse(ran!.tool_return ?? '')).toMatchObject({
        results: ['2073'],
        logs: { stdout: ['in feet\n'], stderr: [] },
      });
      expect(said).toMatchObject({
        message_type: 'assistant_message',
        content: 'It is 2073 feet high.',
      });
      expect(answer.stop_reason).toMatchObject({ stop_reason: 'end_turn' });
      expect(answer.usage).toMatchObject({ step_count: 3 });
    },
  );
});

interface Made {
  readonly id: string;
  readonly embedding: string;
  readonly blocks: readonly { readonly label: string; readonly value: string }[];
  readonly tools: readonly { readonly name: string }[];
}

interface Answered {
  readonly messages: readonly { readonly message_type: string; readonly tool_return?: string }[];
  readonly stop_reason: object;
  readonly usage: object;
}
