import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../core/agents/agents.js';
import { takeAgentSnapshot } from '../../schema/tools/agent-snapshots.js';
import { attachBlock, getAgentBlock, listAgentBlocks } from '../../schema/blocks/agent-blocks.js';
import { attachTools, replaceTools, resolveTools } from '../../schema/tools/agent-tools.js';
import { updateAgent } from '../../schema/agents/updates.js';
import { changeBlock } from '../../schema/blocks/changes.js';
import { listRevisions } from '../../schema/blocks/revisions.js';
import { requireBlock } from '../../schema/blocks/blocks.js';
import { inTransaction } from '../../schema/db/database.js';
import { listBranches } from '../../schema/blocks/branches.js';
import { roundTurnId } from '../../schema/refinement/refinements.js';
import { saveToolChanges } from '../../schema/tools/tool-changes.js';
import { issueToolToken } from '../../schema/tools/tokens.js';
import { createRuntimeApp } from '../server/runtime-app.js';
import { aPair, refined, valueOf } from '../support/agents/partners.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

type Call = readonly [tool: string, args: Record<string, unknown>];

const actingTools = ['memory', 'memory_apply_patch'];

describe('an agent that acts on its memory', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker();
  });

  afterAll(async () => {
    expect(runtime.log).toEqual([]);
    await runtime.close();
  });

  const anAgent = (...blocks: readonly { label: string; value: string; readOnly?: boolean }[]) =>
    runtime.anAgent({ toolNames: ['send_message', ...actingTools], blocks });

  const results = (count: number): readonly string[] =>
    (models.requests.at(-1)?.messages ?? [])
      .filter(({ role }) => role === 'tool')
      .slice(-count)
      .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));

  /** Runs a turn in which the agent makes these calls, one per step. Returns their results. */
  async function use(agent: Agent, ...calls: readonly Call[]): Promise<readonly string[]> {
    models.script(
      ...calls.map(([tool, args]) => callOf(tool, { ...args, request_heartbeat: true })),
      saying('Done.'),
    );
    const turn = await runtime.tell(agent, 'Go on.');
    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: calls.length + 1 });
    return results(calls.length);
  }

  const memoryOf = async (agent: Agent) =>
    (await listAgentBlocks(runtime.db, agent.id)).map(({ label, value }) => [label, value]);

  const prompt = () => JSON.stringify(models.requests.at(-1)?.messages[0]);

  it('views, creates, edits, renames and detaches blocks by path [memory-tool.commands]', async () => {
    const agent = await anAgent({ label: 'human', value: 'Name: Sid' }, { label: 'old', value: 'Long ago.' });
    const old = await getAgentBlock(runtime.db, agent.id, 'old');

    const told = await use(
      agent,
      [
        'memory',
        { command: 'create', path: '/memories/plans', file_text: 'Sail.', description: 'What next.' },
      ],
      ['memory', { command: 'str_replace', path: '/memories/human', old_str: 'Sid', new_str: 'Ada' }],
      ['memory', { command: 'insert', path: '/memories/plans', insert_line: 0, insert_text: 'Sleep.' }],
      ['memory', { command: 'delete', path: '/memories/old' }],
      ['memory', { command: 'rename', old_path: '/memories/plans', new_path: '/memories/wishes' }],
      ['memory', { command: 'rename', path: '/memories/human', description: 'Who it is.' }],
      ['memory', { command: 'view' }],
      ['memory', { command: 'view', path: '/memories/wishes' }],
    );

    expect(await memoryOf(agent)).toEqual([
      ['human', 'Name: Ada'],
      ['wishes', 'Sleep.\nSail.'],
    ]);
    expect(told[6]).toContain('/memories/human (9 of 2000 characters): Who it is.');
    expect(told[6]).toContain('/memories/wishes (12 of 20000 characters): What next.');
    expect(told[7]).toContain('Sleep.\\nSail.');
    expect(prompt()).toContain('<wishes>');
    expect(prompt()).toContain('Who it is.');
    expect(prompt()).not.toContain('<old>');
    expect(await requireBlock(runtime.db, old.id)).toMatchObject({ value: 'Long ago.' });
    const { id } = await getAgentBlock(runtime.db, agent.id, 'human');
    expect(await listRevisions(runtime.db, id, { limit: 1 })).toMatchObject([
      { revision: 2, actor: 'agent', agentId: agent.id, operation: { kind: 'replace' } },
    ]);
  });

  it('refuses what is not possible and changes nothing [memory-tool.refused]', async () => {
    const agent = await anAgent(
      { label: 'human', value: 'Name: Sid' },
      { label: 'company', value: 'AgentOS' },
      { label: 'law', value: 'Be kind.', readOnly: true },
    );
    const other = await anAgent({ label: 'firm', value: 'Other.' });
    const { id } = await getAgentBlock(runtime.db, agent.id, 'company');
    await attachBlock(runtime.db, { agentId: other.id, blockId: id });
    const before = await memoryOf(agent);

    const told = await use(
      agent,
      ['memory', { command: 'create', path: '/memories/human', file_text: 'x' }],
      ['memory', { command: 'rename', old_path: '/memories/company', new_path: '/memories/human' }],
      ['memory', { command: 'rename', old_path: '/memories/company', new_path: '/memories/firm' }],
      ['memory', { command: 'delete', path: '/memories/law' }],
      ['memory', { command: 'str_replace', path: '/memories/law', old_string: 'kind', new_string: 'rude' }],
      ['memory', { command: 'delete', path: '/memories/pets' }],
      ['memory', { command: 'insert', path: '/memories/human' }],
      ['memory', { command: 'forget', path: '/memories/human' }],
      ['memory_apply_patch', { label: 'human', patch: '-Name: Ada\n+Name: Eve' }],
    );

    expect(await memoryOf(agent)).toEqual(before);
    expect(told).toEqual([
      expect.stringContaining("You already have a memory block 'human'."),
      expect.stringContaining("already has a memory block 'human'"),
      expect.stringContaining("already has a memory block 'firm'"),
      expect.stringContaining('Memory block `law` is read-only.'),
      expect.stringContaining('This block is read-only and cannot be edited.'),
      expect.stringContaining(
        "You have no memory block with label 'pets'. Your blocks are: human, company, law.",
      ),
      expect.stringContaining('The command insert needs insert_text.'),
      expect.stringContaining('command must be equal to one of the allowed values'),
      expect.stringContaining('memory block `human` does not contain these lines:\\nName: Ada'),
    ]);
    expect(await memoryOf(other)).toEqual([
      ['firm', 'Other.'],
      ['company', 'AgentOS'],
    ]);
  });

  it('patches several blocks, all or none [patch.sections]', async () => {
    const agent = await anAgent(
      { label: 'human', value: 'Name: Sid\nCity: Oslo' },
      { label: 'old', value: 'x' },
    );
    const sections = (gone: string) =>
      [
        '*** Begin Patch\n*** Add Block: plans\nDescription: What next.\n+Sail.',
        '*** Update Block: human\n Name: Sid\n-City: Oslo\n+City: Rome\n*** Move to: user',
        `*** Delete Block: ${gone}\n*** End Patch`,
      ].join('\n');

    const [half] = await use(agent, ['memory_apply_patch', { label: '', patch: sections('new') }]);
    const between = await memoryOf(agent);
    const [whole] = await use(agent, ['memory_apply_patch', { label: '', patch: sections('old') }]);

    expect(half).toContain('Nothing of the patch was applied');
    expect(between).toEqual([
      ['human', 'Name: Sid\nCity: Oslo'],
      ['old', 'x'],
    ]);
    expect(whole).toContain('Memory block `human` is now called `user`.');
    expect(await memoryOf(agent)).toEqual([
      ['user', 'Name: Sid\nCity: Rome'],
      ['plans', 'Sail.'],
    ]);
    expect(prompt()).toContain('What next.');
  });

  it('reports a conflict with the difference if someone else changed the patched lines [memory-tool.refused]', async () => {
    const agent = await anAgent({ label: 'human', value: 'Name: Sid\nCity: Oslo' });
    const { id } = await getAgentBlock(runtime.db, agent.id, 'human');
    await use(agent);

    models.script(async () => {
      const operation = { kind: 'set', value: 'Name: Sid\nCity: Rome' } as const;
      await changeBlock(runtime.db, { blockId: id, operation, actor: 'user' });
      return callOf('memory_apply_patch', {
        ...{ label: 'human', patch: '-City: Oslo\n+City: Bergen', request_heartbeat: true },
      });
    }, saying('Done.'));
    await runtime.tell(agent, 'Go on.');

    expect(results(1)[0]).toContain('Somebody else changed the block after you read it');
    expect(results(1)[0]).toContain('-City: Oslo\\n+City: Rome');
    expect(await valueOf(runtime, agent, 'human')).toBe('Name: Sid\nCity: Rome');
  });

  it('moves what a full block cannot hold to archival memory, and finds it there [seeds.full-block]', async () => {
    const agent = await runtime.anAgent({
      blocks: [{ label: 'human', value: 'Name: Sid. Loves Hersheys and long walks.', limit: 45 }],
    });

    const [full, stored, shortened, again, found] = await use(
      agent,
      ['core_memory_append', { label: 'human', content: 'Lives in Bergen.' }],
      ['archival_memory_insert', { content: 'Sid loves Hersheys and long walks.' }],
      [
        'core_memory_replace',
        { label: 'human', old_content: ' Loves Hersheys and long walks.', new_content: '' },
      ],
      ['core_memory_append', { label: 'human', content: 'Lives in Bergen.' }],
      ['archival_memory_search', { query: 'What chocolate does Sid love?' }],
    );

    expect(full).toMatch(/Exceeds 45 character limit \(requested 58\).*or keep details in archival memory/);
    expect([stored, shortened, again].map((result) => result?.includes('"status":"OK"'))).toEqual([
      true,
      true,
      true,
    ]);
    expect(await valueOf(runtime, agent, 'human')).toBe('Name: Sid.\nLives in Bergen.');
    expect(found).toContain('Sid loves Hersheys and long walks.');
  });

  it('edits the branch in a partner’s turn with every tool, and not the blocks themselves [sleep.tools]', async () => {
    const blocks = [
      { label: 'human', value: 'a\nb\nc' },
      { label: 'persona', value: 'p\nq' },
    ];
    const pair = await aPair(runtime, {}, { blocks });
    const names = [...actingTools, 'core_memory_append', 'core_memory_replace'];
    await runtime.db.transaction().execute(async (tx) => {
      await attachTools(tx, pair.partner.id, await resolveTools(tx, { names }));
    });
    models.script(saying('I see.'));
    await runtime.tell(pair.agent, 'Hello.');
    const edits: readonly Call[] = [
      ['core_memory_append', { label: 'human', content: 'd' }],
      ['core_memory_replace', { label: 'human', old_content: 'd', new_content: 'D' }],
      ['memory_insert', { label: 'human', new_string: 'z', insert_line: 0 }],
      ['memory_replace', { label: 'human', old_string: 'a', new_string: 'A' }],
      ['memory', { command: 'str_replace', path: '/memories/human', old_string: 'b', new_string: 'B' }],
      [
        'memory_apply_patch',
        { label: '', patch: '*** Update Block: human\n-c\n+C\n*** Update Block: persona\n+r' },
      ],
      ['memory_rethink', { label: 'persona', new_memory: 'P\nq\nr' }],
      ['memory', { command: 'view', path: '/memories/persona' }],
      ['memory', { command: 'delete', path: '/memories/human' }],
      ['memory', { command: 'rename', old_path: '/memories/human', new_path: '/memories/user' }],
      ['memory', { command: 'rename', path: '/memories/human', description: 'New.' }],
      ['memory', { command: 'create', path: '/memories/plans', file_text: 'Sail.' }],
      ['memory_apply_patch', { label: '', patch: '*** Add Block: plans\n+Sail.' }],
      ['memory_rethink', { label: 'plans', new_memory: 'Sail.' }],
    ];
    const meanwhile: unknown[] = [];
    models.script(...edits.map(([tool, args]) => callOf(tool, args)), async () => {
      const [running] = await runtime.sleepTime.list({ groupId: pair.group.id, states: ['running'] });
      const branches = await listBranches(runtime.db, running!.id);
      meanwhile.push(branches.map(({ label, value }) => [label, value]).sort(), await memoryOf(pair.agent));
      return callOf('memory_finish_edits', {});
    });

    await runtime.sleepTime.refine(pair.group.id);
    const refinements = await refined(runtime, pair);

    const edited = [
      ['human', 'z\nA\nB\nC\nD'],
      ['persona', 'P\nq\nr'],
    ];
    expect(meanwhile).toEqual([edited, blocks.map(({ label, value }) => [label, value])]);
    expect(refinements).toMatchObject([{ state: 'completed', endedBy: 'finished' }]);
    expect(await memoryOf(pair.agent)).toEqual(edited);
    const told = results(7);
    expect(told[0]).toContain('P\\nq\\nr');
    expect(told.slice(4)).toEqual(
      Array.from({ length: 3 }, () =>
        expect.stringContaining("Block `plans` does not exist and can't be created"),
      ),
    );
    expect((await memoryOf(pair.partner)).map(([label]) => label)).not.toContain('plans');
    expect(told.slice(1, 4)).toEqual(
      Array.from({ length: 3 }, () =>
        expect.stringContaining('While you refine memory you can only edit the text of blocks'),
      ),
    );
    const { id } = await getAgentBlock(runtime.db, pair.agent.id, 'human');
    expect(await listRevisions(runtime.db, id, {})).toMatchObject([
      { revision: 2, actor: 'sleep_time', agentId: pair.partner.id },
      { revision: 1 },
    ]);
  });

  it('shows a partner’s tools their own earlier writes, however they read [sleep.tools-read]', async () => {
    const pair = await aPair(runtime, {}, { blocks: [{ label: 'tasks', value: '1' }] });
    models.script(saying('I see.'));
    await runtime.tell(pair.agent, 'Hello.');
    const app = createRuntimeApp(runtime);
    const { id } = await getAgentBlock(runtime.db, pair.agent.id, 'tasks');
    const seen: unknown[] = [];
    models.script(async () => {
      const [running] = await runtime.sleepTime.list({ groupId: pair.group.id, states: ['running'] });
      const caller = {
        ...{ agentId: pair.partner.id, turnId: roundTurnId(running!.id, 0) },
        ...{ stepId: null, toolCallId: null, effectId: null },
      };
      const token = await issueToolToken(runtime.db, caller, 60_000);
      const ask = async (method: 'GET' | 'PATCH', url: string, payload?: object): Promise<string> => {
        const headers = { 'x-perdure-tool-token': token };
        const answer = await app.inject({
          method,
          url,
          headers,
          ...(payload === undefined ? {} : { payload }),
        });
        return answer.body;
      };
      const byLabel = `/v1/agents/${pair.partner.id}/core-memory/blocks/tasks`;
      const push = async (task: string) => {
        const { value } = JSON.parse(await ask('GET', byLabel)) as { value: string };
        await ask('PATCH', byLabel, { value: `${value},${task}` });
      };
      await push('2');
      await push('3');
      const snapshot = await takeAgentSnapshot(runtime.db, caller);
      const author = { ...caller, actor: 'tool' } as const;
      const faults = await inTransaction(runtime.db, (tx) =>
        saveToolChanges(tx, { snapshot, values: { [id]: '1,2,3,4' }, author }),
      );
      await push('5');
      const places = [`/v1/blocks/${id}`, `/v1/agents/${pair.partner.id}`, byLabel.replace('/tasks', '')];
      const read = await Promise.all(places.map((url) => ask('GET', url)));
      seen.push(faults, ...read.map((body) => body.includes('"1,2,3,4,5"')));
      seen.push(
        JSON.stringify(snapshot.blocks).includes('"1,2,3"'),
        await valueOf(runtime, pair.agent, 'tasks'),
      );
      return callOf('memory_finish_edits', {});
    });

    await runtime.sleepTime.refine(pair.group.id);
    await refined(runtime, pair);
    await app.close();

    expect(seen).toEqual([[], true, true, true, true, '1']);
    expect(await valueOf(runtime, pair.agent, 'tasks')).toBe('1,2,3,4,5');
  });

  it('searches, stores and rewrites with the tools of voice agents [tools.voice]', async () => {
    const pair = await aPair(runtime, {}, { blocks: [{ label: 'human', value: 'Name: Sid' }] });
    const toolNames = ['store_memories', 'rethink_user_memory', 'finish_rethinking_memory'];
    await replaceToolsOf(pair.partner, toolNames);
    await updateAgent(runtime.db, pair.partner.id, {
      toolRules: [{ kind: 'exit_loop', tool: 'finish_rethinking_memory' }],
    });
    await replaceToolsOf(pair.agent, ['send_message', 'search_memory']);
    models.script(saying('A boat.'));
    await runtime.tell(pair.agent, 'What did I buy?');
    const chunk = { start_index: 0, end_index: 1, context: 'The user bought a boat called Aurora.' };
    models.script(
      callOf('store_memories', { chunks: [chunk] }),
      callOf('rethink_user_memory', { new_memory: 'Name: Sid. Has a boat.' }),
      callOf('finish_rethinking_memory', {}),
    );
    await runtime.sleepTime.refine(pair.group.id);
    await refined(runtime, pair);

    const [found, bounded, newest, farthest] = await use(
      pair.agent,
      ['search_memory', { convo_keyword_queries: ['Aurora'], start_minutes_ago: null }],
      ['search_memory', { convo_keyword_queries: ['Aurora'], start_minutes_ago: 5, end_minutes_ago: 60 }],
      ['search_memory', { end_minutes_ago: 10 }],
      ['search_memory', { end_minutes_ago: 9e15 }],
    );

    expect(found).toContain('The user bought a boat called Aurora.');
    expect(bounded).toContain('No results found.');
    // The newest messages are the searches themselves. The turn's own messages are in context, so no search returns them.
    for (const said of [newest, farthest]) {
      expect(said).toContain('The user bought a boat called Aurora.');
      expect(said).not.toContain('Go on.');
    }
    expect(await valueOf(runtime, pair.agent, 'human')).toBe('Name: Sid. Has a boat.');
  });

  async function replaceToolsOf(agent: Agent, names: readonly string[]): Promise<void> {
    await runtime.db.transaction().execute(async (tx) => {
      await replaceTools(tx, agent.id, await resolveTools(tx, { names }));
    });
  }
});
