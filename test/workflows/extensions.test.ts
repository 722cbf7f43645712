import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Extensions } from '../../adapters/extensions/extensions.js';
import { openExtensions } from '../../adapters/extensions/open-extensions.js';
import { createAgents, type AgentRequest } from '../../client/agents.js';
import type { Agent } from '../../core/agents/agents.js';
import { extensionKey } from '../../core/extensions/extension.js';
import { TaskMemory } from '../../examples/task-list/extension.js';
import { updateAgent } from '../../schema/agents/updates.js';
import { attachBlock, getAgentBlock } from '../../schema/blocks/agent-blocks.js';
import { listAgentTools } from '../../schema/tools/agent-tools.js';
import { listRevisions } from '../../schema/blocks/revisions.js';
import { saveExtensionTools } from '../../schema/tools/extension-tools.js';
import { listMessages } from '../../schema/threads/messages.js';
import { packageFile } from '../../stack/processes.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';
import { testVault } from '../support/runtime/vault.js';

const push = (task: string, request_heartbeat = true) => callOf('task_push', { task, request_heartbeat });
const pop = () => callOf('task_pop', { request_heartbeat: false });
const doIt = (what: string) => callOf('do_it', { what, request_heartbeat: true });

describe('extensions', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;
  let version = '1';
  let opened: Extensions;
  const modules = [
    packageFile('examples/task-list/extension.ts'),
    packageFile('test/support/tools/extensions/faulty.ts'),
  ];

  beforeAll(async () => {
    opened = await openExtensions(modules, { timeoutMs: 1_000 });
    const extensions = {
      ...opened,
      get all() {
        return opened.all.map((extension) => ({ ...extension, version }));
      },
    };
    runtime = await startRuntime({ models, extensions });
    await runtime.startWorker();
  });

  afterAll(async () => {
    await runtime.close();
    await opened.close();
  });

  const create = (request: Partial<AgentRequest>): Promise<Agent> =>
    createAgents(runtime.db, testVault, {
      agentType: 'memgpt_agent',
      model: 'scripted/model',
      embedding: 'perdure/use-lite',
    }).create({ name: 'worker', ...request });
  const withTasks = (...tasks: readonly string[]) =>
    create({ memory: new TaskMemory({ human: 'Ada', persona: 'I work.', tasks }) });
  const withNotes = (metadata: Record<string, unknown> = {}) =>
    runtime.anAgent({
      metadata,
      blocks: [
        { label: 'notes', value: 'as it is' },
        { label: 'archive', value: '', limit: 12 },
      ],
      toolNames: ['send_message', 'do_it', 'move_line'],
    });
  const valueOf = async (agent: Agent, label: string) =>
    (await getAgentBlock(runtime.db, agent.id, label)).value;
  const results = async (agent: Agent) =>
    (await listMessages(runtime.db, { threadId: agent.id }, { order: 'asc' })).flatMap(({ body }) =>
      body.kind === 'tool' ? [`${body.status}: ${body.content}`] : [],
    );

  describe('[ext.memory] a memory class', () => {
    it('gives a new agent its sections with their limits, and its tools instead of the type’s', async () => {
      const agent = await withTasks('water the bees');

      const tasks = await getAgentBlock(runtime.db, agent.id, 'tasks');
      expect(tasks).toMatchObject({ value: 'water the bees', limit: 500 });
      expect(await getAgentBlock(runtime.db, agent.id, 'human')).toMatchObject({
        value: 'Ada',
        limit: 2_000,
      });
      expect((await listAgentTools(runtime.db, agent.id)).map(({ name }) => name)).toEqual([
        ...['send_message', 'conversation_search', 'conversation_search_date'],
        ...['archival_memory_insert', 'archival_memory_search'],
        ...['memory_insert', 'memory_replace', 'memory_rethink', 'memory_finish_edits'],
        ...['core_memory_append', 'core_memory_replace', 'task_push', 'task_pop'],
      ]);
    });

    it('stores edits with the answer, each as a revision of its tool call', async () => {
      const agent = await withTasks('water the bees');
      models.script(push('write to Mina'), callOf('task_pop', { request_heartbeat: true }), saying('Done.'));

      const turn = await runtime.tell(agent, 'Work.');

      expect(turn).toMatchObject({ state: 'completed', steps: 3 });
      expect(await valueOf(agent, 'tasks')).toBe('write to Mina');
      const tasks = await getAgentBlock(runtime.db, agent.id, 'tasks');
      const revisions = await listRevisions(runtime.db, tasks.id);
      expect(revisions.map(({ operation, actor }) => [operation.kind, actor])).toEqual([
        ['rewrite', 'agent'],
        ['append', 'agent'],
        ['create', 'user'],
      ]);
      expect(await results(agent)).toEqual([
        'success: Memory block `tasks` was edited: 28 of 500 characters used. It reads now:\nwater the bees\nwrite to Mina',
        'success: Do this now: water the bees\nMemory block `tasks` was edited: 13 of 500 characters used. It reads now:\nwrite to Mina',
        'success: Sent message successfully.',
      ]);
    });

    it('reports to the model what does not fit or throws, and writes nothing', async () => {
      const agent = await withTasks();
      models.script(push('x'.repeat(501)), callOf('task_pop', { request_heartbeat: true }), saying('Well.'));

      await runtime.tell(agent, 'Work.');

      expect(await valueOf(agent, 'tasks')).toBe('');
      expect(await results(agent)).toEqual([
        expect.stringMatching(
          /^error: Edit failed: Exceeds 500 character limit \(requested 501\)\. Nothing was written/,
        ),
        'error: task_pop failed: The task list is empty. Nothing was written.',
        'success: Sent message successfully.',
      ]);
    });

    it('makes all edits of a call or none', async () => {
      const agent = await withNotes();
      const move = (line: string) => callOf('move_line', { line, request_heartbeat: true });
      const both = async () => [await valueOf(agent, 'notes'), await valueOf(agent, 'archive')];
      models.script(doIt('copy'), move('as it is\nas it is'), saying('Too long.'));

      await runtime.tell(agent, 'Move both lines.');

      expect((await results(agent))[1]).toMatch(/^error: Edit failed: Exceeds 12 character limit/);
      expect(await both()).toEqual(['as it is\nas it is', '']);

      models.script(move('s it is\nas'), saying('Moved.'));
      await runtime.tell(agent, 'Move the middle.');

      expect(await both()).toEqual(['a it is', 's it is\nas']);
    });

    it('loses no edit of agents that share a block', async () => {
      const first = await withTasks();
      const { id: blockId } = await getAgentBlock(runtime.db, first.id, 'tasks');
      const others = await Promise.all(
        [1, 2].map(async () => {
          const agent = await create({ toolNames: ['task_push'] });
          await attachBlock(runtime.db, { agentId: agent.id, blockId });
          return agent;
        }),
      );
      const agents = [first, ...others];
      models.script(...agents.map(() => push('one more', false)));

      await Promise.all(agents.map((agent) => runtime.tell(agent, 'One more.')));

      expect(await valueOf(first, 'tasks')).toBe('one more\none more\none more');
    });

    it.each([
      ['throw', /^error: do_it failed: no luck Nothing was written\.$/],
      ['loop', /^error: do_it failed: It took more than 1 s and was stopped\. Nothing was written\.$/],
    ])('with a failing tool lets the model continue: %s [ext.faults]', async (what, said) => {
      const agent = await withNotes();
      models.script(doIt(what), saying('Never mind.'));

      expect(await runtime.tell(agent, 'Do it.')).toMatchObject({ state: 'completed', steps: 2 });

      expect((await results(agent))[0]).toMatch(said);
      expect(await valueOf(agent, 'notes')).toBe('as it is');
    });
  });

  describe('[ext.compile] an extension’s prompt', () => {
    it('is shown to the model and stays the same within an epoch', async () => {
      const agent = await create({
        memory: new TaskMemory({ human: 'Ada', persona: 'I work.' }),
        extension: 'task-list',
      });
      models.script(saying('Hello.'), saying('Hello again.'));

      await runtime.tell(agent, 'Hi.');
      await runtime.tell(agent, 'Hi.');

      const [first, second] = models.requests.slice(-2).map(({ messages: [system] }) => system?.content);
      expect(first).toMatch(
        /<\/memory_metadata>\n\n<task_list_rules>\nDo one task at a time.*\n<\/task_list_rules>$/s,
      );
      expect(second).toBe(first);
    });

    it('is compiled again for another version of the extension', async () => {
      const agent = await create({
        memory: new TaskMemory({ human: 'Ada', persona: 'I work.' }),
        extension: 'task-list',
      });
      const prefixes = () =>
        runtime.db.selectFrom('epochs').select('id').where('thread_id', '=', agent.id).execute();
      models.script(saying('One.'), saying('Two.'), saying('Three.'));

      await runtime.tell(agent, 'Hi.');
      await runtime.tell(agent, 'Hi.');
      expect(await prefixes()).toHaveLength(1);
      version = '2';
      await runtime.tell(agent, 'Hi.');

      expect(await prefixes()).toHaveLength(2);
    });

    it.each([
      ['throw', 'no prompt'],
      ['loop', 'It took more than 1 s and was stopped.'],
    ])('that fails fails the turn before the model is called: %s', async (what, detail) => {
      const asked = models.requests.length;
      const agent = await runtime.anAgent({ system: what, metadata: { [extensionKey]: 'faulty' } });

      expect(await runtime.tell(agent, 'Hi.')).toMatchObject({
        state: 'failed',
        stopReason: 'error',
        error: {
          type: 'Extension.Failed',
          message: `The extension 'faulty' could not compile the agent's prompt. (${detail})`,
        },
      });
      expect(models.requests).toHaveLength(asked);
    });
  });

  describe('[ext.decide] an extension’s decision', () => {
    const deciding = (...tasks: readonly string[]) =>
      create({
        memory: new TaskMemory({ human: 'Ada', persona: 'I work.', tasks }),
        extension: 'task-list',
      });

    it('gives another step without a heartbeat', async () => {
      const agent = await deciding('water the bees');
      models.script(pop(), saying('I watered them.'));

      expect(await runtime.tell(agent, 'Work.')).toMatchObject({ stopReason: 'end_turn', steps: 2 });

      const said = models.requests
        .at(-1)
        ?.messages.map((message) => JSON.stringify(message))
        .join('\n');
      expect(said).toMatch(/You have another step: continue with the task/);
    });

    it('gives a step after an approved call [ext.decide-approved]', async () => {
      const agent = await deciding('water the bees', 'feed them');
      const toolRules = [...agent.toolRules, { kind: 'requires_approval', tool: 'task_pop' } as const];
      await updateAgent(runtime.db, agent.id, { toolRules });
      const call = pop();
      models.script(call);
      expect(await runtime.tell(agent, 'Work.')).toMatchObject({ stopReason: 'requires_approval', steps: 1 });
      const asked = models.requests.length;
      models.script(saying('I watered them.'));

      const { turn } = await runtime.turns.send({
        threadId: agent.id,
        messages: [],
        approvals: [{ kind: 'approved', toolCallId: call.toolCalls[0]?.id ?? '', reason: null }],
      });

      expect(await runtime.turns.result(turn.id)).toMatchObject({
        state: 'completed',
        stopReason: 'end_turn',
      });
      expect(await valueOf(agent, 'tasks')).toBe('feed them');
      const told = models.requests.slice(asked).map(({ messages }) => JSON.stringify(messages));
      expect(told).toEqual([expect.stringMatching(/Do this now: water the bees.*You have another step/s)]);
    });

    it('cannot exceed the step limit', async () => {
      const agent = await deciding('one', 'two', 'three');
      models.script(pop(), pop());

      const { turn } = await runtime.turns.send({
        threadId: agent.id,
        messages: [{ role: 'user', content: 'Work.' }],
        options: { maxSteps: 2 },
      });

      expect(await runtime.turns.result(turn.id)).toMatchObject({ stopReason: 'max_steps', steps: 2 });
      expect(await valueOf(agent, 'tasks')).toBe('three');
    });

    it('that fails fails the turn, which keeps the edits of its step', async () => {
      // Its `decide` tries to parse the name of a tool as JSON.
      const agent = await withNotes({ [extensionKey]: 'faulty' });
      models.script(doIt('copy'));

      expect(await runtime.tell(agent, 'Do it.')).toMatchObject({
        state: 'failed',
        stopReason: 'error',
        error: {
          type: 'Extension.Failed',
          message: expect.stringMatching(/decide whether the turn goes on/),
        },
      });
      expect(await valueOf(agent, 'notes')).toBe('as it is\nas it is');
    });
  });

  describe('[ext.messaging] a speaking tool', () => {
    const speak = (more: object = {}) =>
      callOf('send_voice_message', { text: 'Hello!', mood: 'happy', ...more });

    it.each(['memgpt_agent', 'letta_v1_agent'] as const)('ends the turn: %s', async (agentType) => {
      const agent = await create({ agentType, toolNames: ['send_voice_message'] });
      models.script(speak());

      expect(await runtime.tell(agent, 'Hi.')).toMatchObject({ state: 'completed', steps: 1 });
    });

    it('is the only way to speak without send_message: plain text does not count', async () => {
      const agent = await create({ includeBaseTools: false, toolNames: ['send_voice_message'] });
      models.script({ text: 'Hello?' }, speak());

      expect(await runtime.tell(agent, 'Hi.')).toMatchObject({ stopReason: 'end_turn', steps: 2 });

      expect(models.requests.at(-1)?.toolChoice).toBe('required');
    });

    it('replies to another agent that asks', async () => {
      const asked = await create({ toolNames: ['send_voice_message'] });
      const asking = await create({ toolNames: ['send_message_to_agent_and_wait_for_reply'] });
      const args = { other_agent_id: asked.id, message: 'Well?', request_heartbeat: true };
      models.script(
        callOf('send_message_to_agent_and_wait_for_reply', args),
        speak({ text: 'All is well.' }),
        saying('They are well.'),
      );

      expect(await runtime.tell(asking, 'How are they?')).toMatchObject({ state: 'completed' });

      expect((await results(asking))[0]).toMatch(/^success: .*"response":\["All is well\."\]/);
    });

    it('is followed by another step after a heartbeat', async () => {
      const agent = await create({ toolNames: ['send_voice_message'] });
      models.script(speak({ request_heartbeat: true }), saying('And in writing.'));

      expect(await runtime.tell(agent, 'Hi.')).toMatchObject({ stopReason: 'end_turn', steps: 2 });
    });
  });

  describe('[ext.missing] an extension that is not loaded', () => {
    it('fails the turn if the agent’s metadata selects it', async () => {
      const agent = await runtime.anAgent({ metadata: { [extensionKey]: 'elsewhere' } });

      expect(await runtime.tell(agent, 'Hi.')).toMatchObject({
        state: 'failed',
        error: {
          type: 'Extension.NotLoaded',
          message: expect.stringMatching(
            /^The agent's extension 'elsewhere' is not loaded\. Add its module to/,
          ),
        },
      });
    });

    it('is reported to the model if one of its tools is called', async () => {
      const parameters = { type: 'object', properties: {} } as const;
      const tool = { name: 'unheard_of', description: 'Elsewhere.', parameters };
      await saveExtensionTools(runtime.db, [{ ...tool, kind: 'memory', sections: ['human'] }]);
      const agent = await create({ toolNames: ['unheard_of'] });
      models.script(callOf('unheard_of', { request_heartbeat: true }), saying('It is not there.'));

      expect(await runtime.tell(agent, 'Hi.')).toMatchObject({ state: 'completed', steps: 2 });

      expect((await results(agent))[0]).toMatch(/^error: The tool unheard_of can't be run by this server\./);
    });
  });
});
