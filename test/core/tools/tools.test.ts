import { describe, expect, it } from '@jest/globals';
import { agentTypes } from '../../../core/agents/agents.js';
import type { ToolSchema } from '../../../core/models/model.js';
import {
  builtinTools,
  canonicalArguments,
  defaultToolRules,
  defaultTools,
  offeredSchemas,
  speaksInText,
  splitArguments,
} from '../../../core/tools/tools.js';

function builtin(name: string): (typeof builtinTools)[number] {
  return builtinTools.find((tool) => tool.name === name)!;
}

const search: ToolSchema = {
  name: 'search',
  description: 'Searches.',
  parameters: {
    type: 'object',
    properties: { query: { type: 'string' }, limit: { type: 'integer' } },
    required: ['query'],
  },
};

describe('[tool.schemas] builtinTools', () => {
  it('have the parameters and effects that the runtime relies on', () => {
    const table = builtinTools.map((tool) => {
      const { properties, required = [] } = tool.parameters;
      const names = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
      return `${tool.name}(${names.join(', ')}) ${tool.effect}${tool.terminal === true ? ' terminal' : ''}`;
    });

    expect(table).toMatchInlineSnapshot(`
     [
       "send_message(message) transactional terminal",
       "core_memory_append(label, content) editing",
       "core_memory_replace(label, old_content, new_content) editing",
       "memory_insert(label, new_string, insert_line?) editing",
       "memory_replace(label, old_string, new_string) editing",
       "memory_rethink(label, new_memory) editing",
       "memory_finish_edits() pure terminal",
       "memory(command, path?, file_text?, description?, old_string?, new_string?, insert_line?, insert_text?, old_path?, new_path?) editing",
       "memory_apply_patch(label, patch) editing",
       "archival_memory_insert(content, tags?) searching",
       "archival_memory_search(query, tags?, tag_match_mode?, top_k?, start_datetime?, end_datetime?) searching",
       "archival_memory_pin(passage_id) transactional",
       "archival_memory_unpin(passage_id) transactional",
       "conversation_search(query?, roles?, limit?, start_date?, end_date?) searching",
       "conversation_search_date(start_date, end_date, limit?) searching",
       "recall(query?, scope?, roles?, tags?, tag_match_mode?, start_date?, end_date?, limit?, page?) searching",
       "open_files(file_requests, close_all_others?) transactional",
       "grep_files(pattern, include?, context_lines?, offset?) searching",
       "semantic_search_files(query, limit?) searching",
       "open_file(file_name, offset?, length?) transactional",
       "close_file(file_name) transactional",
       "grep_file(file_name, pattern, context_lines?, offset?) searching",
       "search_file(query, file_name?, limit?) searching",
       "send_message_to_agent_and_wait_for_reply(message, other_agent_id) asking",
       "send_message_to_agent_async(message, other_agent_id) searching",
       "send_message_to_agents_matching_tags(message, match_all, match_some) asking",
       "send_message_to_all_agents_in_group(message) asking",
       "web_search(query, num_results?, include_domains?, exclude_domains?) searching",
       "fetch_webpage(url) searching",
       "run_code(code, language) searching",
       "run_code_with_tools(code) searching",
       "search_memory(convo_keyword_queries?, start_minutes_ago?, end_minutes_ago?) searching",
       "store_memories(chunks) searching",
       "rethink_user_memory(new_memory) editing",
       "finish_rethinking_memory() pure terminal",
     ]
    `);
  });

  // The base tools of Letta 0.11 to 0.16: programs and agent files refer to them by name.
  it.each([
    [
      'letta_core',
      ['send_message', 'conversation_search', 'archival_memory_insert', 'archival_memory_search'],
    ],
    ['letta_core', ['core_memory_append', 'core_memory_replace']],
    ['letta_memory_core', ['memory', 'memory_apply_patch']],
    ['letta_sleeptime_core', ['memory_replace', 'memory_insert', 'memory_rethink', 'memory_finish_edits']],
    ['letta_voice_sleeptime_core', ['search_memory', 'store_memories', 'rethink_user_memory']],
    ['letta_voice_sleeptime_core', ['finish_rethinking_memory']],
    ['letta_multi_agent_core', ['send_message_to_agent_and_wait_for_reply', 'send_message_to_agent_async']],
    ['letta_multi_agent_core', ['send_message_to_agents_matching_tags']],
    ['letta_multi_agent_core', ['send_message_to_all_agents_in_group']],
    ['letta_builtin', ['run_code', 'run_code_with_tools', 'web_search', 'fetch_webpage']],
    ['letta_files_core', ['open_files', 'grep_files', 'semantic_search_files']],
  ])('[tools.base-names] include Letta’s %s tools: %j', (toolType, names) => {
    expect(names.map((name) => [name, builtin(name).toolType])).toEqual(
      names.map((name) => [name, toolType]),
    );
  });

  it('describe each parameter', () => {
    const silent = builtinTools.flatMap((tool) =>
      Object.entries(tool.parameters.properties)
        .filter(([, schema]) => typeof schema['description'] !== 'string')
        .map(([name]) => `${tool.name}.${name}`),
    );

    expect(silent).toEqual([]);
  });

  it('point each alias at a parameter', () => {
    for (const tool of builtinTools) {
      const names = Object.keys(tool.parameters.properties);
      expect(Object.values(tool.aliases ?? {}).filter((name) => !names.includes(name))).toEqual([]);
    }
  });
});

describe('defaultTools', () => {
  it('gives editing tools to a sleep-time agent, but not to a chat agent with a partner', () => {
    const options = { includeBaseTools: true, hasPartner: true };

    expect(defaultTools('sleeptime_agent', options)).toContain('memory_replace');
    expect(defaultTools('memgpt_agent', options)).not.toContain('core_memory_replace');
  });

  it('gives a MemGPT agent the tools of the paper', () => {
    expect(defaultTools('memgpt_agent', { includeBaseTools: true })).toEqual([
      'send_message',
      'core_memory_append',
      'core_memory_replace',
      'conversation_search',
      'conversation_search_date',
      'archival_memory_insert',
      'archival_memory_search',
    ]);
  });

  it.each([
    [
      'memgpt_v2_agent',
      [
        'send_message',
        'memory_insert',
        'memory_replace',
        'memory_rethink',
        'conversation_search',
        'archival_memory_insert',
        'archival_memory_search',
        'recall',
        'open_file',
        'close_file',
        'grep_file',
        'search_file',
      ],
    ],
    [
      'letta_v1_agent',
      [
        'memory_insert',
        'memory_replace',
        'conversation_search',
        'archival_memory_insert',
        'archival_memory_search',
      ],
    ],
    ['sleeptime_agent', ['memory_replace', 'memory_insert', 'memory_rethink', 'memory_finish_edits']],
    ['react_agent', ['send_message']],
    ['workflow_agent', []],
  ] as const)('gives a %s its own base tools', (agentType, names) => {
    expect(defaultTools(agentType, { includeBaseTools: true })).toEqual(names);
  });

  it.each(agentTypes)('gives a %s no tools when base tools are declined', (agentType) => {
    expect(defaultTools(agentType, { includeBaseTools: false })).toEqual([]);
  });
});

describe('defaultToolRules', () => {
  it('ends the turn at send_message and continues after other built-in tools', () => {
    expect(defaultToolRules('memgpt_agent', ['send_message', 'core_memory_append', 'my_tool'])).toEqual([
      { kind: 'exit_loop', tool: 'send_message' },
      { kind: 'continue_loop', tool: 'core_memory_append' },
    ]);
  });

  it('ends the turn of a sleep-time agent at memory_finish_edits', () => {
    expect(defaultToolRules('sleeptime_agent', ['memory_replace', 'memory_finish_edits'])).toEqual([
      { kind: 'exit_loop', tool: 'memory_finish_edits' },
    ]);
  });
});

describe('[turn.thinking] offeredSchemas', () => {
  it('puts thinking first and the heartbeat last, but no heartbeat on terminal tools', () => {
    const offered = offeredSchemas([search, builtin('send_message')], {
      style: 'tools',
      injectThinking: true,
      terminal: new Set(['send_message']),
    });

    expect(
      offered.map((tool) => [tool.name, Object.keys(tool.parameters.properties), tool.parameters.required]),
    ).toEqual([
      [
        'search',
        ['thinking', 'query', 'limit', 'request_heartbeat'],
        ['thinking', 'query', 'request_heartbeat'],
      ],
      ['send_message', ['thinking', 'message'], ['thinking', 'message']],
    ]);
  });

  it('does not ask a model that reasons natively for its thinking', () => {
    const [offered] = offeredSchemas([search], {
      style: 'tools',
      injectThinking: false,
      terminal: new Set(),
    });

    expect(Object.keys(offered!.parameters.properties)).toEqual(['query', 'limit', 'request_heartbeat']);
  });

  it('offers unchanged schemas in a native loop, and nothing else', () => {
    const options = { style: 'native', injectThinking: true, terminal: new Set<string>() } as const;

    expect(offeredSchemas([search], options)).toEqual([search]);
    expect(Object.keys(offeredSchemas([builtin('send_message')], options)[0]!)).toEqual([
      'name',
      'description',
      'parameters',
    ]);
  });
});

describe('[turn.thinking] splitArguments', () => {
  it.each<[string, Record<string, unknown>, unknown]>([
    [
      'thinking and the heartbeat',
      { thinking: 'hm', q: 1, request_heartbeat: true },
      { thinking: 'hm', requestHeartbeat: true, args: { q: 1 } },
    ],
    [
      'thinking under its older name',
      { inner_thoughts: 'hm', request_heartbeat: false },
      { thinking: 'hm', requestHeartbeat: false, args: {} },
    ],
    [
      'a heartbeat written as a word',
      { request_heartbeat: 'True' },
      { thinking: '', requestHeartbeat: true, args: {} },
    ],
    [
      'no heartbeat from nonsense',
      { request_heartbeat: 'later', thinking: 7 },
      { thinking: '', requestHeartbeat: false, args: {} },
    ],
    ['nothing from plain arguments', { q: 1 }, { thinking: '', requestHeartbeat: false, args: { q: 1 } }],
  ])('extracts %s', (_, args, expected) => {
    expect(splitArguments(args)).toEqual(expected);
  });

  it("keeps the tool's own parameter of that name", () => {
    expect(splitArguments({ thinking: 'hm' }, new Set(['thinking'])).args).toEqual({ thinking: 'hm' });
  });
});

describe('[seeds.ends] speaksInText', () => {
  const exit = { kind: 'exit_loop', tool: 'stop' } as const;

  it.each([
    ['a MemGPT agent without tools', 'memgpt_agent', [], [], true],
    ['an agent with only other tools', 'workflow_agent', ['save'], [exit], true],
    ['an agent with a tool to speak', 'memgpt_agent', ['save', 'send_message'], [], false],
    ['an agent with a tool that ends turns', 'memgpt_agent', ['save', 'stop'], [exit], false],
    ['an agent with a native loop', 'letta_v1_agent', [], [], false],
  ] as const)('decides for %s', (_, agentType, names, toolRules, expected) => {
    const tools = names.map((name) => ({ name }));

    expect(speaksInText({ agentType, tools, toolRules })).toBe(expected);
  });
});

describe('canonicalArguments', () => {
  it('understands the names that the first MemGPT used', () => {
    expect(canonicalArguments(builtin('core_memory_append'), { name: 'human', content: 'x' })).toEqual({
      label: 'human',
      content: 'x',
    });
  });

  it('prefers the parameter name of the schema', () => {
    expect(
      canonicalArguments(builtin('memory_replace'), { label: 'a', name: 'b', old_str: 'x', new_str: 'y' }),
    ).toEqual({
      label: 'a',
      name: 'b',
      old_string: 'x',
      new_string: 'y',
    });
  });
});
