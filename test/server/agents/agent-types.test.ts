import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Letta from 'letta-client-1';
import type { ToolChoice } from '../../../core/models/model.js';
import { bestIsolation } from '../../support/tools/isolation.js';
import { callOf, createScriptedModels, type ScriptLine } from '../../support/models/scripted-model.js';
import { startToolRunner } from '../../support/tools/tool-runners.js';
import { startRuntimeServer } from '../runtime-app.js';

type Fields = Letta.AgentCreateParams;

const speak = callOf('send_message', { message: 'Hello.' });
const append = callOf('core_memory_append', { label: 'human', content: 'One.' });
const insert = callOf('memory_insert', { label: 'human', new_string: 'One.' });
const insertOther = callOf('memory_insert', { label: 'persona', new_string: 'Two.' });
const finish = callOf('memory_finish_edits', {});
const said = { text: 'Hello.' };

const archival = ['archival_memory_insert', 'archival_memory_search'];
const classic = [
  ...archival,
  ...['conversation_search', 'conversation_search_date', 'core_memory_append', 'core_memory_replace'],
  'send_message',
];
const editing = ['memory_finish_edits', 'memory_insert', 'memory_replace', 'memory_rethink'];

interface TypeCase {
  readonly type: NonNullable<Fields['agent_type']>;
  /** Sorted by name. */
  readonly tools: readonly string[];
  readonly answers: readonly ScriptLine[];
  readonly choice: ToolChoice;
  /** Whether its tools take `thinking` and `request_heartbeat`. */
  readonly isMemGpt: boolean;
  /** Whether its prompt shows its blocks; true if absent. */
  readonly seesBlocks?: false;
  readonly steps: number;
  readonly stop: string;
}

/** What each type does by default. */
const types: readonly TypeCase[] = [
  {
    type: 'memgpt_agent',
    tools: classic,
    answers: [append, speak],
    ...{ choice: 'required', isMemGpt: true, steps: 2, stop: 'end_turn' },
  },
  {
    type: 'split_thread_agent',
    tools: classic,
    answers: [append, speak],
    ...{ choice: 'required', isMemGpt: true, steps: 2, stop: 'end_turn' },
  },
  {
    type: 'memgpt_v2_agent',
    tools: [
      ...archival,
      ...['close_file', 'conversation_search', 'grep_file', 'memory_insert', 'memory_replace'],
      ...['memory_rethink', 'open_file', 'recall', 'search_file', 'send_message'],
    ],
    answers: [insert, speak],
    ...{ choice: 'required', isMemGpt: true, steps: 2, stop: 'end_turn' },
  },
  {
    type: 'letta_v1_agent',
    tools: [...archival, 'conversation_search', 'memory_insert', 'memory_replace'],
    answers: [{ toolCalls: [...insert.toolCalls, ...insertOther.toolCalls] }, said],
    ...{ choice: 'auto', isMemGpt: false, steps: 2, stop: 'end_turn' },
  },
  {
    type: 'react_agent',
    tools: ['send_message'],
    answers: [speak],
    ...{ choice: 'required', isMemGpt: true, steps: 1, stop: 'end_turn', seesBlocks: false },
  },
  {
    type: 'workflow_agent',
    tools: [],
    answers: [said],
    ...{ choice: 'none', isMemGpt: true, steps: 1, stop: 'end_turn', seesBlocks: false },
  },
  {
    type: 'sleeptime_agent',
    tools: editing,
    answers: [{ toolCalls: [...insert.toolCalls, ...insertOther.toolCalls] }, finish],
    ...{ choice: 'auto', isMemGpt: false, steps: 2, stop: 'tool_rule' },
  },
  {
    type: 'voice_convo_agent',
    tools: ['archival_memory_search', 'conversation_search', 'send_message'],
    answers: [speak],
    ...{ choice: 'required', isMemGpt: true, steps: 1, stop: 'end_turn' },
  },
  {
    type: 'voice_sleeptime_agent',
    tools: editing,
    answers: [insert, finish],
    ...{ choice: 'required', isMemGpt: true, steps: 2, stop: 'end_turn' },
  },
];

const speakAloud = `
def send_voice_message(words: str, mood: str):
    """
    Speak aloud.

    Args:
        words (str): The words.
        mood (str): How to say them.
    """
    return "spoken"
`;

interface ToolsCase {
  readonly what: string;
  readonly fields: Fields;
  /** A base tool to detach from the new agent. */
  readonly without?: string;
  readonly answers: readonly ScriptLine[];
  readonly choices: readonly ToolChoice[];
  readonly stop: string;
  /** The message types of the reply. */
  readonly shown: readonly string[];
}

const spoken = ['assistant_message'];
const called = ['reasoning_message', 'tool_call_message', 'tool_return_message'];

/** What ends the turn when the base tools or rules differ from the defaults. */
const ends: readonly ToolsCase[] = [
  {
    what: 'plain text without base tools',
    fields: { include_base_tools: false },
    answers: [said],
    choices: ['none'],
    ...{ stop: 'end_turn', shown: spoken },
  },
  {
    what: 'plain text after send_message is detached',
    fields: {},
    without: 'send_message',
    answers: [append, said],
    choices: ['auto', 'auto'],
    ...{ stop: 'end_turn', shown: [...called, ...spoken] },
  },
  {
    what: 'plain text after the required tool call',
    fields: { tool_rules: [{ type: 'required_before_exit', tool_name: 'core_memory_append' }] },
    without: 'send_message',
    answers: [said, append, said],
    choices: ['auto', 'auto', 'auto'],
    ...{ stop: 'end_turn', shown: [...spoken, ...called, ...spoken] },
  },
  {
    what: 'an exit_loop tool in place of send_message',
    fields: { tool_rules: [{ type: 'exit_loop', tool_name: 'core_memory_append' }] },
    without: 'send_message',
    answers: [said, append],
    choices: ['required', 'required'],
    ...{ stop: 'end_turn', shown: ['reasoning_message', ...called] },
  },
  {
    what: 'send_message without the base rules',
    fields: { include_base_tool_rules: false },
    answers: [speak],
    choices: ['required'],
    ...{ stop: 'end_turn', shown: ['reasoning_message', 'assistant_message'] },
  },
];

describe('agent types and their tools', () => {
  const models = createScriptedModels();
  let close: () => Promise<void>;
  let letta: Letta;

  beforeAll(async () => {
    const server = await startRuntimeServer({ models, tools: await startToolRunner(bestIsolation) });
    close = server.close;
    letta = new Letta({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
  });

  afterAll(async () => {
    await close();
  });

  function anAgent(fields: Fields) {
    return letta.agents.create({
      ...{ model: 'perdure/demo', embedding: 'perdure/use-lite' },
      memory_blocks: [
        { label: 'human', value: 'H' },
        { label: 'persona', value: 'P' },
      ],
      ...fields,
    });
  }

  it.each(types)(
    '[seeds.agent-types] $type has its own tools, loop and stop reason',
    async ({ type, tools, answers, choice, isMemGpt, seesBlocks = true, steps, stop }) => {
      const agent = await anAgent({ agent_type: type });
      const before = models.requests.length;
      models.script(...answers);

      const answer = await letta.agents.messages.create(agent.id, { input: 'Hello' });

      expect(agent.tools.map(({ name }) => name).sort()).toEqual(tools);
      const requests = models.requests.slice(before);
      expect(requests.map(({ toolChoice }) => toolChoice)).toEqual(answers.map(() => choice));
      const prompt = JSON.stringify(requests[0]?.messages[0]);
      expect([prompt.includes('<human>'), prompt.includes('<memory_metadata>')]).toEqual([seesBlocks, true]);
      expect(answer.stop_reason.stop_reason).toBe(stop);
      expect(answer.usage.step_count).toBe(steps);
      expect(JSON.stringify(answer.messages)).not.toContain('"status":"error"');
      for (const tool of requests[0]?.tools ?? []) {
        const added = Object.keys(tool.parameters.properties).filter((name) => injected.includes(name));
        const ending = ['send_message', 'memory_finish_edits'].includes(tool.name);
        expect([tool.name, added]).toEqual([tool.name, isMemGpt ? injected.slice(0, ending ? 1 : 2) : []]);
      }
    },
  );

  it.each(ends)(
    '[seeds.ends] ends the turn of a MemGPT agent with $what',
    async ({ fields, without, answers, choices, stop, shown }) => {
      const agent = await anAgent({ agent_type: 'memgpt_agent', ...fields });
      const detached = agent.tools.find(({ name }) => name === without);
      if (detached !== undefined) await letta.agents.tools.detach(detached.id, { agent_id: agent.id });
      const before = models.requests.length;
      models.script(...answers);

      const answer = await letta.agents.messages.create(agent.id, { input: 'Hello' });

      expect(answer.messages.map(({ message_type: messageType }) => messageType)).toEqual(shown);
      expect(answer.stop_reason.stop_reason).toBe(stop);
      expect(models.requests.slice(before).map(({ toolChoice }) => toolChoice)).toEqual(choices);
    },
  );

  it('[memory.no-blocks] keeps all blocks out of a react agent’s context, even after an edit', async () => {
    const agent = await anAgent({ agent_type: 'react_agent' });
    const before = models.requests.length;
    models.script(speak, speak);

    await letta.agents.messages.create(agent.id, { input: 'Hello' });
    await letta.agents.blocks.update('human', { agent_id: agent.id, value: 'Is called Ada.' });
    await letta.agents.messages.create(agent.id, { input: 'Who am I?' });

    const told = models.requests.slice(before).map(({ messages }) => JSON.stringify(messages));
    expect(told.map((text) => /Ada|<memory_blocks>/.test(text))).toEqual([false, false]);
  });

  it('[tools.speaks] lets a custom Python tool replace send_message: it ends the turn and is shown as speech', async () => {
    const tool = await letta.tools.upsert({ source_code: speakAloud });
    const agent = await anAgent({
      ...{ agent_type: 'memgpt_agent', include_base_tools: false, tool_ids: [tool.id] },
      tool_rules: [{ type: 'exit_loop', tool_name: 'send_voice_message' }],
    });
    const shownWords: Record<string, string> = {
      assistant_message_tool_name: 'send_voice_message',
      assistant_message_tool_kwarg: 'words',
    };
    const before = models.requests.length;
    const aloud = callOf('send_voice_message', { words: 'Ahoy.', mood: 'glad' });
    models.script(aloud, aloud);

    const called = await letta.agents.messages.create(agent.id, { input: 'Hello' });
    const shown = await letta.agents.messages.create(agent.id, {
      ...{ input: 'Hello', ...shownWords },
    });

    expect(called.stop_reason.stop_reason).toBe('end_turn');
    expect(called.messages.map(({ message_type: messageType }) => messageType)).toEqual([
      'reasoning_message',
      ...['tool_call_message', 'tool_return_message'],
    ]);
    expect(shown.messages).toContainEqual(
      expect.objectContaining({ message_type: 'assistant_message', content: 'Ahoy.' }),
    );
    const offered = models.requests
      .slice(before)
      .map(({ toolChoice, tools }) => [
        toolChoice,
        tools.map(({ parameters }) => Object.keys(parameters.properties).sort()),
      ]);
    expect(offered[0]).toEqual(['required', [['mood', 'thinking', 'words']]]);
    expect(offered).toHaveLength(2);
  });

  it('[seeds.client-skills] shows the client’s skills to the agent only in the turn that sends them', async () => {
    const agent = await anAgent({ agent_type: 'letta_v1_agent', system: 'Be kind.' });
    const skill = { name: 'bake', description: 'How to bake.', location: '/skills/bake.md' };
    const before = models.requests.length;
    models.script(said, said);

    await letta.agents.messages.create(agent.id, { input: 'Bake.', client_skills: [skill] });
    await letta.agents.messages.create(agent.id, { input: 'Rest.' });

    const prompts = models.requests.slice(before).map(({ messages }) => JSON.stringify(messages[0]));
    expect(prompts.map((prompt) => prompt.includes('bake (/skills/bake.md): How to bake.'))).toEqual([
      true,
      false,
    ]);
  });

  it('[seeds.ends] streams plain text as an assistant message when the agent has no tools', async () => {
    const agent = await anAgent({ agent_type: 'memgpt_agent', include_base_tools: false });
    models.script({ text: 'Hello, I have no tools at all.' });

    const stream = await letta.agents.messages.create(agent.id, {
      ...{ input: 'Hello', streaming: true, stream_tokens: true, include_pings: false },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);

    const words = chunks.flatMap((chunk) =>
      chunk.message_type === 'assistant_message' && typeof chunk.content === 'string' ? [chunk.content] : [],
    );
    expect(words.length).toBeGreaterThan(1);
    expect(words.join('')).toMatch(/^Hello, I have no tools at all\./);
    expect(new Set(chunks.map(({ message_type: messageType }) => messageType))).toEqual(
      new Set(['assistant_message', 'stop_reason', 'usage_statistics']),
    );
    const listed = await letta.agents.messages.list(agent.id, { order: 'asc' });
    expect(listed.items.at(-1)).toMatchObject({ message_type: 'assistant_message', content: words.join('') });
  });
});

const injected = ['thinking', 'request_heartbeat'];
