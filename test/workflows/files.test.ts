import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../core/agents/agents.js';
import type { ModelRequest } from '../../core/models/model.js';
import { createIngestions } from '../../client/ingestions.js';
import { attachSource, detachSource } from '../../schema/files/agent-sources.js';
import { closeAgentFiles, listAgentFiles } from '../../schema/files/agent-files.js';
import { listAgentTools } from '../../schema/tools/agent-tools.js';
import { deleteFile } from '../../schema/files/files.js';
import { listMessages } from '../../schema/threads/messages.js';
import { insertPassages } from '../../schema/archives/passages.js';
import type { Source } from '../../schema/files/sources.js';
import { runCanary } from '../support/runtime/canary.js';
import { anUpload, aSource, ended } from '../support/files/file-fixtures.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

/** The result of `recall`. */
interface Recalled {
  readonly message: string;
  readonly results: readonly {
    readonly from: string;
    readonly id: string;
    readonly score?: number;
    readonly role?: string;
    readonly content: string;
  }[];
}

const rules = Array.from(
  { length: 60 },
  (_, index) => `Rule ${index}: shift ${index} begins at hour ${index % 24}.`,
);

describe('an agent with files', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;
  let source: Source;
  let ids: Readonly<Record<string, string>>;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker();
    source = await aSource(runtime.db, {
      name: `handbook ${runCanary()}`,
      instructions: 'Look here first.',
      chunkSize: 60,
    });
    const ingestions = createIngestions(runtime.temporal, runtime.taskQueue);
    const made: Record<string, string> = {};
    for (const [name, content] of Object.entries({
      'rules.md': rules.join('\n'),
      'leave.md': `Everybody has 25 days of leave. ${runCanary()}\n\nParents get ten more.`,
      'dogs.txt': 'Dogs may come along on Fridays.',
      'pay.txt': 'Wages are paid on the last working day of each month.',
    })) {
      const { id } = await anUpload(runtime.db, source, { name, content });
      await ingestions.start(id);
      await ended(runtime.db, id);
      made[name] = id;
    }
    ids = made;
  });

  afterAll(() => runtime.close());

  async function anAgentWithFiles(input: Parameters<TestRuntime['anAgent']>[0] = {}): Promise<Agent> {
    const agent = await runtime.anAgent(input);
    await attachSource(runtime.db, agent.id, source.id);
    return agent;
  }

  /** Runs a turn in which the agent calls the tool. Returns the tool's result. */
  async function call(agent: Agent, name: string, args: Record<string, unknown>): Promise<string> {
    models.script(callOf(name, { ...args, request_heartbeat: true }), saying('Done.'));
    const turn = await runtime.tell(agent, 'Do it.');
    expect(turn.stopReason).toBe('end_turn');
    const messages = await listMessages(runtime.db, { threadId: agent.id }, { order: 'desc' });
    const result = messages
      .map((message) => message.body)
      .find((body) => body.kind === 'tool' && body.toolName === name);
    return result?.kind === 'tool' ? result.content : '';
  }

  const prefixOf = (request: ModelRequest | undefined): string => {
    const content = request?.messages[0]?.content;
    return typeof content === 'string' ? content : '';
  };
  const lastPrefix = (): string => prefixOf(models.requests.at(-1));

  it('[files.context] [files.search] sees its files and finds their passages with its archival memory', async () => {
    const agent = await anAgentWithFiles();

    const found = JSON.parse(
      await call(agent, 'archival_memory_search', { query: 'days of leave', top_k: 1 }),
    ) as unknown;

    expect(found).toMatchObject([{ content: expect.stringMatching(/25 days of leave/), file: 'leave.md' }]);
    expect(lastPrefix()).toContain('<instructions>Look here first.</instructions>');
    expect(lastPrefix()).toMatch(/<file status="closed" name="[^"]+\/rules\.md">/);
    expect(lastPrefix()).toMatch(/\d+ total memories you created are stored in archival memory/);
  });

  it('[recall.unified] [recall.loops] finds messages, passages and files with one tool', async () => {
    const agent = await anAgentWithFiles({ agentType: 'memgpt_v2_agent' });
    const stored = { text: 'Mina has taken 20 days of leave.', tags: ['leave'] };
    const [passage] = await insertPassages(runtime.db, agent.id, [stored]);
    models.script(callOf('send_message', { message: 'You asked for leave in May.' }));
    await runtime.tell(agent, 'I would like to have leave in May.');

    const found = JSON.parse(await call(agent, 'recall', { query: 'leave', limit: 4 })) as Recalled;
    const rest = JSON.parse(await call(agent, 'recall', { query: 'leave', limit: 4, page: 2 })) as Recalled;

    expect(found.message).toBe('Results 1 to 4. Call again with page=2 for more.');
    expect(new Set(found.results.map((each) => each.from))).toEqual(
      new Set(['messages', 'passages', 'files']),
    );
    expect(found.results).toContainEqual({
      ...{ from: 'passages', id: passage!.id, tags: ['leave'], content: stored.text },
      ...{ timestamp: passage!.createdAt.toISOString(), score: 0.0164 },
    });
    expect(found.results).toContainEqual({
      ...{ from: 'files', file: 'leave.md', lines: '1-3', score: 0.0164 },
      ...{ id: expect.any(String), timestamp: expect.any(String), content: expect.stringMatching(/25 days/) },
    });
    const scores = found.results.map((each) => each.score ?? 0);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(rest.results.map((each) => each.id)).not.toContain(passage!.id);
    expect(rest.message).toMatch(/^Results 5 to /);
  });

  it('[recall.filters] narrows a recall by place, role, tags and dates, also with native tools', async () => {
    const agent = await anAgentWithFiles({
      agentType: 'letta_v1_agent',
      toolNames: ['recall'],
      toolRules: [],
    });
    await insertPassages(runtime.db, agent.id, [
      { text: 'The boat is blue.', tags: ['boat'], createdAt: new Date('2024-05-01T12:00:00Z') },
      { text: 'The boat is red.', tags: ['boat', 'now'] },
    ]);
    const recalled = async (args: Record<string, unknown>): Promise<Recalled> => {
      models.script(callOf('recall', args), { text: 'Done.' });
      expect((await runtime.tell(agent, 'The boat?')).stopReason).toBe('end_turn');
      const messages = await listMessages(runtime.db, { threadId: agent.id }, { order: 'desc' });
      const result = messages.map((message) => message.body).find((body) => body.kind === 'tool');
      return JSON.parse(result?.kind === 'tool' ? result.content : '') as Recalled;
    };
    const texts = async (args: Record<string, unknown>) =>
      (await recalled(args)).results.map((each) => each.content);

    expect(await texts({ query: 'boat', tags: ['boat', 'now'], tag_match_mode: 'all' })).toEqual([
      'The boat is red.',
    ]);
    expect(await texts({ query: 'boat', scope: ['passages'], end_date: '2024-05-01' })).toEqual([
      'The boat is blue.',
    ]);
    expect(await texts({ scope: ['passages'] })).toEqual(['The boat is red.', 'The boat is blue.']);
    expect(new Set((await recalled({ query: 'boat', roles: ['user'] })).results.map((r) => r.role))).toEqual(
      new Set(['user']),
    );
    expect((await recalled({ query: 'days of leave', scope: ['files'], limit: 1 })).results).toMatchObject([
      { from: 'files', file: 'leave.md' },
    ]);
  });

  it('[files.open] [files.context] opens files, whose lines appear in the context of the next step, and closes them', async () => {
    const agent = await anAgentWithFiles();
    const before = models.requests.length;

    const opened = await call(agent, 'open_files', {
      file_requests: [{ file_name: 'rules.md', offset: 2, length: 2 }, { file_name: 'leave.md' }],
    });

    expect(opened).toBe('Opened rules.md, leave.md: see <directories> in your context.');
    expect(prefixOf(models.requests[before])).not.toContain('shift 2 begins');
    expect(lastPrefix()).toContain(
      '<value>\n[Viewing lines 3 to 4 (out of 60 lines)]\n3: Rule 2: shift 2 begins at hour 2.\n4: Rule 3: shift 3 begins at hour 3.\n</value>\n</file>',
    );
    expect(lastPrefix()).toContain('3: Parents get ten more.');
    const steady = models.requests.length;
    models.script(saying('Yes.'));
    await runtime.tell(agent, 'Still there?');
    expect(prefixOf(models.requests[steady])).toBe(prefixOf(models.requests[steady - 1]));
    await closeAgentFiles(runtime.db, agent.id, [ids['rules.md']!]);
    models.script(saying('No.'));
    await runtime.tell(agent, 'And now?');
    expect(lastPrefix()).toMatch(/<file status="closed" name="[^"]+\/rules\.md">/);
    expect(lastPrefix()).toContain('3: Parents get ten more.');
  });

  it('[files.open] closes the least recently opened file at the limit, and refuses invalid requests', async () => {
    const agent = await anAgentWithFiles({ extras: { max_files_open: 2 } });
    const open = (...names: readonly string[]): Promise<string> =>
      call(agent, 'open_files', { file_requests: names.map((name) => ({ file_name: name })) });

    await open('leave.md', 'dogs.txt');
    expect(await open('pay.txt')).toMatch(
      /Closed handbook .+\/leave\.md, because at most 2 files are open at once\.$/,
    );
    expect(await open('pay.txt', 'dogs.txt', 'rules.md')).toMatch(/^At most 2 files can be open at once\./);
    expect(await open('nothing.md')).toMatch(
      /^There is no file 'nothing\.md'\. Your files are: [^,]+\/dogs\.txt, [^,]+\/leave\.md, [^,]+\/pay\.txt, [^,]+\/rules\.md\.$/,
    );
    expect(await call(agent, 'open_files', { file_requests: [{ file_name: 'dogs.txt', offset: 7 }] })).toBe(
      'dogs.txt has 1 lines; offset 7 is beyond its end.',
    );
    const state = await listAgentFiles(runtime.db, agent.id);
    expect(state.filter((file) => file.isOpen).map((file) => file.name)).toEqual(['dogs.txt', 'pay.txt']);
    await call(agent, 'open_files', { file_requests: [{ file_name: 'rules.md' }], close_all_others: true });
    const left = await listAgentFiles(runtime.db, agent.id);
    expect(left.filter((file) => file.isOpen).map((file) => file.name)).toEqual(['rules.md']);
  });

  it('[files.grep] finds lines by pattern, page by page, with their surrounding lines', async () => {
    const agent = await anAgentWithFiles();

    const first = await call(agent, 'grep_files', {
      pattern: 'SHIFT \\d+ begins',
      include: '*.md',
      context_lines: 0,
    });
    const last = await call(agent, 'grep_files', { pattern: 'shift', offset: 40 });
    const around = await call(agent, 'grep_files', { pattern: 'Rule 30:' });

    expect(first).toMatch(
      /^Found 60 total matches across 1 files\. Here are 1 to 20\. Call again with offset=20 for more\.\n=== .+\/rules\.md\n> 1: Rule 0:/,
    );
    expect(last).toMatch(/^Found 60 total matches across 1 files\. Here are 41 to 60\.\n/);
    expect(around).toMatch(/^Found 1 total matches across 1 files\. Here are 1 to 1\.\n/);
    expect(around).toContain(`\n  30: ${rules[29]!}\n> 31: ${rules[30]!}\n  32: ${rules[31]!}`);
    expect(await call(agent, 'grep_files', { pattern: 'nowhere' })).toBe('No line matches.');
    expect(await call(agent, 'grep_files', { pattern: '(' })).toMatch(
      /^The pattern is not a regular expression/,
    );
    expect(await call(agent, 'grep_files', { pattern: 'x', include: '*.pdf' })).toBe(
      "None of your files has a name like '*.pdf'.",
    );
  });

  it('[files.semantic] [files.tools] of type memgpt_v2_agent has its own file tools and searches by meaning', async () => {
    const agent = await anAgentWithFiles({ agentType: 'memgpt_v2_agent' });
    const names = (await listAgentTools(runtime.db, agent.id)).map((tool) => tool.name);

    expect(names).toEqual(expect.arrayContaining(['open_file', 'close_file', 'grep_file', 'search_file']));
    expect(names).not.toContain('open_files');
    const found = JSON.parse(
      await call(agent, 'search_file', { query: 'May I bring my pet?', limit: 1 }),
    ) as unknown;
    expect(found).toMatchObject([
      { file: 'dogs.txt', lines: '1-1', content: 'Dogs may come along on Fridays.' },
    ]);
    const within = JSON.parse(
      await call(agent, 'search_file', { query: 'dogs', file_name: 'pay.txt' }),
    ) as unknown;
    expect(within).toMatchObject([{ file: 'pay.txt' }]);
    expect(await call(agent, 'open_file', { file_name: 'dogs.txt' })).toMatch(/^Opened dogs\.txt/);
    expect(lastPrefix()).toContain('1: Dogs may come along on Fridays.');
    expect(await call(agent, 'close_file', { file_name: 'dogs.txt' })).toBe('Closed dogs.txt.');
    expect(lastPrefix()).not.toContain('1: Dogs may come along on Fridays.');
    expect(await call(agent, 'grep_file', { file_name: 'pay.txt', pattern: 'wages' })).toMatch(
      /> 1: Wages are paid/,
    );
    await detachSource(runtime.db, agent.id, source.id);
    expect((await listAgentTools(runtime.db, agent.id)).map((tool) => tool.name)).toEqual(names);
  });

  it('[files.tools] gets file tools with its first source and loses them with the last', async () => {
    const agent = await runtime.anAgent();
    const other = await aSource(runtime.db);
    const fileTools = async (): Promise<string[]> =>
      (await listAgentTools(runtime.db, agent.id))
        .filter((tool) => tool.toolType === 'letta_files_core')
        .map((tool) => tool.name);

    expect(await fileTools()).toEqual([]);
    await attachSource(runtime.db, agent.id, source.id);
    await attachSource(runtime.db, agent.id, other.id);
    expect(await fileTools()).toEqual(['open_files', 'grep_files', 'semantic_search_files']);
    await detachSource(runtime.db, agent.id, source.id);
    expect(await fileTools()).toHaveLength(3);
    await detachSource(runtime.db, agent.id, other.id);
    expect(await fileTools()).toEqual([]);
  });

  it('[files.context] forgets an open file that is deleted', async () => {
    const agent = await anAgentWithFiles();
    await call(agent, 'open_files', { file_requests: [{ file_name: 'pay.txt' }] });
    expect(lastPrefix()).toContain('1: Wages are paid');

    await deleteFile(runtime.db, source.id, ids['pay.txt']!);

    models.script(saying('Gone.'));
    await runtime.tell(agent, 'What do you see?');
    expect(lastPrefix()).not.toContain('pay.txt');
  });
});
