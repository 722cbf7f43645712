import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../core/agents/agents.js';
import { listAgentBlocks } from '../../schema/blocks/agent-blocks.js';
import { updateAgent } from '../../schema/agents/updates.js';
import { editPassage } from '../../schema/archives/passage-edits.js';
import { deletePassage, insertPassages, listPassages } from '../../schema/archives/passages.js';
import { lockBlock } from '../../schema/blocks/writing.js';
import { listPins, pinPassage, unpinPassage } from '../../schema/archives/pins.js';
import { untilSomebodyWaits } from '../support/faults/lock-waiting.js';
import { giveAPast } from '../support/agents/past.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

/** A call of a tool with its arguments. */
type Call = readonly [tool: string, args: Record<string, unknown>];

describe('the memory tools of an agent', () => {
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

  /** Runs a turn in which the agent calls these tools, one per step. Returns their results as the model reads them. */
  async function use(agent: Agent, ...calls: readonly Call[]): Promise<readonly string[]> {
    const isSleepTime = agent.agentType === 'sleeptime_agent';
    models.script(
      ...calls.map(([tool, args]) => callOf(tool, { ...args, request_heartbeat: true })),
      ...(isSleepTime ? [callOf('memory_finish_edits', {})] : [saying('Done.')]),
    );
    const turn = await runtime.tell(agent, 'Go on.');
    const stopReason = isSleepTime ? 'tool_rule' : 'end_turn';
    expect(turn).toMatchObject({ state: 'completed', stopReason, steps: calls.length + 1 });
    const results = models.requests.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
    return results.slice(-calls.length).map(({ content }) => JSON.stringify(content));
  }

  const valueOf = async (agent: Agent, label: string) =>
    (await listAgentBlocks(runtime.db, agent.id)).find((block) => block.label === label)?.value;

  it('append to and replace in a block, with either name of the label parameter [memory.core-tools]', async () => {
    const agent = await runtime.anAgent({ blocks: [{ label: 'human', value: 'Name: Sid' }] });

    const results = await use(
      agent,
      ['core_memory_append', { label: 'human', content: 'Lives in Oslo.' }],
      ['core_memory_append', { name: 'human', content: 'Has a boat.' }],
      ['core_memory_replace', { label: 'human', old_content: 'Oslo', new_content: 'Bergen' }],
      ['core_memory_replace', { name: 'human', old_content: '\nHas a boat.', new_content: '' }],
      ['core_memory_replace', { label: 'human', old_content: 'Paris', new_content: 'Rome' }],
      ['core_memory_append', { label: 'pets', content: 'A cat.' }],
    );

    expect(await valueOf(agent, 'human')).toBe('Name: Sid\nLives in Bergen.');
    expect(results[1]).toContain('Name: Sid\\\\nLives in Oslo.\\\\nHas a boat.');
    expect(results[4]).toContain("Old content 'Paris' not found in memory block 'human'");
    expect(results[5]).toContain("You have no memory block with label 'pets'");
  });

  it('insert lines, replace text, rethink a block and finish [memory.core-tools]', async () => {
    const agent = await runtime.anAgent({
      agentType: 'sleeptime_agent',
      blocks: [{ label: 'notes', value: 'two\nfour four' }],
    });

    const results = await use(
      agent,
      ['memory_insert', { label: 'notes', new_string: 'one', insert_line: 0 }],
      ['memory_insert', { label: 'notes', new_string: 'three', insert_line: 2 }],
      ['memory_insert', { label: 'notes', new_string: 'five' }],
      ['memory_replace', { label: 'notes', old_string: 'four', new_string: '4' }],
      ['memory_replace', { label: 'notes', old_string: 'four four', new_string: '4' }],
      ['memory_rethink', { label: 'summary', new_memory: 'Numbers up to five.' }],
    );

    expect(await valueOf(agent, 'notes')).toBe('one\ntwo\nthree\n4\nfive');
    expect(results[3]).toContain('Multiple occurrences of old_string `four`');
    expect(await valueOf(agent, 'summary')).toBe('Numbers up to five.');
    await use(agent, ['memory_rethink', { label: 'notes', new_memory: 'Nothing.' }]);
    expect(await valueOf(agent, 'notes')).toBe('Nothing.');
  });

  it('store passages with tags and find them by meaning, tags and dates [memory.archival]', async () => {
    const agent = await runtime.anAgent();
    await insertPassages(runtime.db, agent.id, [
      { text: 'The boat was painted blue.', tags: ['boat'], createdAt: new Date('2024-05-01T12:00:00Z') },
    ]);

    const [, , meant, anyTag, allTags, thatDay, before, unreadable] = await use(
      agent,
      ['archival_memory_insert', { content: 'Mina plays the violin.', tags: ['music', 'people'] }],
      ['archival_memory_insert', { content: 'The boat needs a new sail.', tags: ['boat', 'to do'] }],
      ['archival_memory_search', { query: 'Which instrument does she play?', top_k: 1 }],
      ['archival_memory_search', { query: 'boat', tags: ['boat', 'music'] }],
      ['archival_memory_search', { query: 'boat', tags: ['boat', 'to do'], tag_match_mode: 'all' }],
      ['archival_memory_search', { query: 'boat', start_datetime: '2024-05-01', end_datetime: '2024-05-01' }],
      ['archival_memory_search', { query: 'boat', end_datetime: '2024-04-30' }],
      ['archival_memory_search', { query: 'boat', start_datetime: 'last summer' }],
    );

    const passages = ['violin', 'sail', 'blue'];
    const found = (result = '') => passages.filter((word) => result.includes(word));
    expect(await listPassages(runtime.db, { agentId: agent.id }, {})).toHaveLength(3);
    expect(found(meant)).toEqual(['violin']);
    expect(found(anyTag)).toEqual(['violin', 'sail', 'blue']);
    expect(found(allTags)).toEqual(['sail']);
    expect(found(thatDay)).toEqual(['blue']);
    expect(before).toContain('No passages found.');
    expect(unreadable).toContain("'last summer' is not a valid date");
  });

  it('find messages by role and between dates [memory.recall]', async () => {
    const agent = await runtime.anAgent();
    // One minute apart, from the first minute of 2026.
    const told = ['the boat is red', 'lunch was soup', 'the train was late', 'snow fell at noon'];
    await giveAPast(runtime.db, agent, 4, (index) => `Saying number ${index}: ${told[index] ?? ''}.`);

    const [said, ofNobody, ofTools, between, nothing] = await use(
      agent,
      ['conversation_search', { query: 'Did the train come late?', roles: ['user'], limit: 1 }],
      ['conversation_search', { query: 'Did the train come late?', roles: ['assistant'] }],
      ['conversation_search', { query: 'Did the train come late?', roles: ['tool'] }],
      ['conversation_search_date', { start_date: '2026-01-01T00:01', end_date: '2026-01-01T00:02' }],
      ['conversation_search_date', { start_date: '2025-01-01', end_date: '2025-12-31' }],
    );

    const sayings = (result = '') => [...result.matchAll(/Saying number (\d)/g)].map(([, index]) => index);
    expect(sayings(said)).toEqual(['2']);
    expect(sayings(ofNobody)).toEqual([]);
    expect(sayings(ofTools)).toEqual([]);
    expect(sayings(between).sort()).toEqual(['1', '2']);
    expect(nothing).toContain('No results found.');
  });

  it('pin passages into the context and report later changes to them [pins.tools] [wire.passage-edit] [pins.context] [pins.limit]', async () => {
    const agent = await runtime.anAgent({
      toolNames: ['send_message', 'archival_memory_pin', 'archival_memory_unpin'],
    });
    const [tea, boat, long] = await insertPassages(runtime.db, agent.id, [
      { text: 'Mina drinks no tea.' },
      { text: 'The boat is called Aurora.' },
      { text: 'x'.repeat(10_000) },
    ]);
    const elsewhere = await runtime.anAgent();
    const [foreign] = await insertPassages(runtime.db, elsewhere.id, [{ text: 'Not yours.' }]);
    const textOf = (content: unknown): string => (typeof content === 'string' ? content : '');
    const prefix = () => textOf(models.requests.at(-1)?.messages[0]?.content);
    const notices = () =>
      (models.requests.at(-1)?.messages ?? []).filter(
        ({ role, content }) => role === 'user' && /pinned/i.test(textOf(content)),
      );
    await use(agent);
    const first = prefix();

    const [pinned, tooLong, unknown, notPinned] = await use(
      agent,
      ['archival_memory_pin', { passage_id: tea!.id }],
      ['archival_memory_pin', { passage_id: long!.id }],
      ['archival_memory_pin', { passage_id: foreign!.id }],
      ['archival_memory_unpin', { passage_id: boat!.id }],
    );
    await pinPassage(runtime.db, agent.id, boat!.id);
    await use(agent);

    expect(pinned).toContain('It stays in your context:\\\\nMina drinks no tea.');
    expect(tooLong).toContain('but only 9981 of the 10000 for all pinned passages are left');
    expect(unknown).toContain('You have no such passage.');
    expect(notPinned).toContain(`${boat!.id} is not pinned.`);
    expect(prefix()).toBe(first);
    const [toldOfBoat, ...others] = notices();
    expect(others).toEqual([]);
    expect(JSON.stringify(toldOfBoat)).toContain('The boat is called Aurora.');
    expect(JSON.stringify(toldOfBoat)).not.toContain('tea');

    await deletePassage(runtime.db, agent.id, tea!.id);
    await use(agent);

    expect(prefix()).toBe(first);
    expect(JSON.stringify(notices().at(-1))).toContain(`No longer pinned: ${tea!.id}.`);

    const aboard = { words: 'The boat is called Borealis.', embedding: undefined };
    await editPassage(runtime.db, { agentId: agent.id, passageId: boat!.id }, { text: aboard });
    await use(agent);

    expect(prefix()).toBe(first);
    expect(JSON.stringify(notices().at(-1))).toContain('The boat is called Borealis.');

    await updateAgent(runtime.db, agent.id, { system: 'You remember what is pinned.' });
    await use(agent);

    expect(prefix()).toContain(`<passage id="${boat!.id}">\nThe boat is called Borealis.\n</passage>`);
    expect(prefix()).toContain('- 1 of these is pinned into your context');
    const told = notices().length;
    await use(agent, ['archival_memory_unpin', { passage_id: boat!.id }]);
    await use(agent);
    expect(notices()).toHaveLength(told);
  });

  it('report passages pinned elsewhere while the agent pins others [pins.context]', async () => {
    const agent = await runtime.anAgent({
      toolNames: ['send_message', 'archival_memory_pin', 'archival_memory_unpin'],
    });
    const [tea, boat] = await insertPassages(runtime.db, agent.id, [
      { text: 'Mina drinks no tea.' },
      { text: 'The boat is called Aurora.' },
    ]);
    const turnWith = async (elsewhere: () => Promise<unknown>, tool: string): Promise<void> => {
      models.script(async () => {
        await elsewhere();
        return callOf(tool, { passage_id: tea!.id, request_heartbeat: true });
      }, saying('Done.'));
      expect(await runtime.tell(agent, 'Go on.')).toMatchObject({ state: 'completed', steps: 2 });
    };
    const lastNotice = (): string =>
      models.requests
        .at(-1)!
        .messages.filter(({ role }) => role === 'user')
        .map(({ content }) => JSON.stringify(content))
        .findLast((content) => /pinned/i.test(content)) ?? 'none';
    await use(agent);

    await turnWith(() => pinPassage(runtime.db, agent.id, boat!.id), 'archival_memory_pin');
    await use(agent);
    const pinned = lastNotice();
    await turnWith(() => unpinPassage(runtime.db, agent.id, boat!.id), 'archival_memory_unpin');
    await use(agent);
    const unpinned = lastNotice();

    expect(pinned).toContain('Pinned into your context:');
    expect(pinned).toContain('The boat is called Aurora.');
    expect(pinned).not.toContain('tea');
    expect(unpinned).toContain(`No longer pinned: ${boat!.id}.`);
    expect(unpinned).not.toContain(tea!.id);
  });

  it('hold no lock of a pin while waiting for a block [pins.locks]', async () => {
    const agent = await runtime.anAgent({
      toolNames: ['send_message', 'archival_memory_pin', 'core_memory_append'],
    });
    const [tea] = await insertPassages(runtime.db, agent.id, [{ text: 'Mina drinks no tea.' }]);
    const human = (await listAgentBlocks(runtime.db, agent.id)).find(({ label }) => label === 'human');
    const call = (tool: string, args: Record<string, unknown>) => callOf(tool, args).toolCalls;
    const both = [
      ...call('archival_memory_pin', { passage_id: tea!.id }),
      ...call('core_memory_append', { label: 'human', content: 'No tea.' }),
    ];
    models.script({ toolCalls: both }, saying('Done.'));

    const told = await runtime.db.transaction().execute(async (tx) => {
      await lockBlock(tx, human!.id);
      const turn = runtime.tell(agent, 'Remember this.');
      await untilSomebodyWaits(runtime.db);
      expect(await listPins(runtime.db, agent.id)).toMatchObject([{ id: tea!.id }]);
      expect(await unpinPassage(runtime.db, agent.id, tea!.id)).toBe(true);
      return { turn };
    });

    expect(await told.turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 2 });
    expect(await valueOf(agent, 'human')).toContain('No tea.');
  });
});
