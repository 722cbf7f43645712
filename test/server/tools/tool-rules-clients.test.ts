import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Letta as Older, LettaClient } from 'letta-client-0';
import Letta from 'letta-client-1';
import type { ToolChoice } from '../../../core/models/model.js';
import { createRest, type Rest } from '../../support/server/rest.js';
import { callOf, createScriptedModels } from '../../support/models/scripted-model.js';
import { startRuntimeServer } from '../runtime-app.js';

interface Answered {
  readonly messages: readonly { readonly message_type: string; readonly tool_return?: string }[];
  readonly stop_reason: { readonly stop_reason: string };
}

type Rule = NonNullable<Letta.AgentCreateParams['tool_rules']>[number];

interface RuleCase {
  readonly kind: string;
  readonly rule: Rule;
  /** The model's tool calls, one for each step. */
  readonly calls: readonly ReturnType<typeof callOf>[];
  /** The tool choice of each step. */
  readonly choices: readonly ToolChoice[];
  /** The result of each call as the model reads it. */
  readonly returns: readonly RegExp[];
  readonly stop: string;
  /** The final values of the blocks `human` and `persona`. */
  readonly memory: readonly [human: string, persona: string];
  /** What differs for client 0.1.132, which has no arguments in rules. Null if it does not know the rule. */
  readonly older?: Partial<RuleCase> | null;
}

const tools = ['send_message', 'core_memory_append', 'memory_insert', 'memory_finish_edits'];
const speak = () => callOf('send_message', { message: 'Hello.' });
const append = (more: object = {}) =>
  callOf('core_memory_append', { label: 'human', content: '+a', ...more });
const insert = (more: object = {}) => callOf('memory_insert', { label: 'human', new_string: '+i', ...more });
const again = { request_heartbeat: true };
const forced = (name: string): ToolChoice => ({ name });

const sent = /^Sent message successfully\.$/;
const edited = /^Memory block `\w+` was edited/;
const only = (...names: readonly string[]): RegExp =>
  new RegExp(`^\\[ToolConstraintError\\] Cannot call \\w+, valid tools include: \\[${names.join(', ')}\\]$`);

/** Each case also has the rule that sending a message ends the turn. */
const cases: readonly RuleCase[] = [
  {
    kind: 'run_first',
    rule: { type: 'run_first', tool_name: 'core_memory_append', args: { label: 'human' } },
    calls: [speak(), append({ label: 'persona', ...again }), speak()],
    choices: [forced('core_memory_append'), forced('core_memory_append'), 'required'],
    returns: [only('core_memory_append'), edited, sent],
    stop: 'end_turn',
    memory: ['H\n+a', 'P'],
    older: { rule: { type: 'run_first', tool_name: 'core_memory_append' }, memory: ['H', 'P\n+a'] },
  },
  {
    kind: 'exit_loop',
    rule: { type: 'exit_loop', tool_name: 'core_memory_append' },
    calls: [append(again)],
    choices: ['required'],
    returns: [edited],
    stop: 'tool_rule',
    memory: ['H\n+a', 'P'],
  },
  {
    kind: 'continue_loop',
    rule: { type: 'continue_loop', tool_name: 'core_memory_append' },
    calls: [append(), speak()],
    choices: ['required', 'required'],
    returns: [edited, sent],
    stop: 'end_turn',
    memory: ['H\n+a', 'P'],
  },
  {
    kind: 'constrain_child_tools',
    rule: {
      type: 'constrain_child_tools',
      tool_name: 'core_memory_append',
      children: ['memory_insert'],
      child_arg_nodes: [{ name: 'memory_insert', args: { label: 'persona' } }],
    },
    calls: [append(), speak(), insert(again), speak()],
    choices: ['required', forced('memory_insert'), forced('memory_insert'), 'required'],
    returns: [edited, only('memory_insert'), edited, sent],
    stop: 'end_turn',
    memory: ['H\n+a', 'P\n+i'],
    older: {
      rule: {
        type: 'constrain_child_tools',
        tool_name: 'core_memory_append',
        children: ['memory_insert'],
      },
      memory: ['H\n+a\n+i', 'P'],
    },
  },
  {
    kind: 'parent_last_tool',
    rule: { type: 'parent_last_tool', tool_name: 'core_memory_append', children: ['memory_insert'] },
    calls: [insert(), append(), speak(), insert(again), speak()],
    choices: ['required', 'required', forced('memory_insert'), forced('memory_insert'), 'required'],
    returns: [
      only('send_message', 'core_memory_append', 'memory_finish_edits'),
      edited,
      only('memory_insert'),
      edited,
      sent,
    ],
    stop: 'end_turn',
    memory: ['H\n+a\n+i', 'P'],
  },
  {
    kind: 'conditional',
    rule: {
      type: 'conditional',
      tool_name: 'memory_finish_edits',
      child_output_mapping: { 'Edits finished.': 'memory_insert', other: 'core_memory_append' },
      require_output_mapping: true,
    },
    calls: [callOf('memory_finish_edits', {}), append(), insert(again), speak()],
    choices: ['required', forced('memory_insert'), forced('memory_insert'), 'required'],
    returns: [/^Edits finished\.$/, only('memory_insert'), edited, sent],
    stop: 'end_turn',
    memory: ['H\n+i', 'P'],
  },
  {
    kind: 'max_count_per_step',
    rule: { type: 'max_count_per_step', tool_name: 'core_memory_append', max_count_limit: 1 },
    calls: [append(again), append(again), speak()],
    choices: ['required', 'required', 'required'],
    returns: [edited, only('send_message', 'memory_insert', 'memory_finish_edits'), sent],
    stop: 'end_turn',
    memory: ['H\n+a', 'P'],
  },
  {
    kind: 'required_before_exit',
    rule: { type: 'required_before_exit', tool_name: 'core_memory_append' },
    calls: [speak(), append()],
    choices: ['required', 'required'],
    returns: [sent, edited],
    stop: 'end_turn',
    memory: ['H\n+a', 'P'],
    older: null,
  },
  {
    kind: 'requires_approval',
    rule: { type: 'requires_approval', tool_name: 'core_memory_append' },
    calls: [append()],
    choices: ['required'],
    returns: [],
    stop: 'requires_approval',
    memory: ['H', 'P'],
    older: null,
  },
];

const exit = { type: 'exit_loop', tool_name: 'send_message' } as const;

describe('the tool rules of Letta’s clients', () => {
  const models = createScriptedModels();
  let close: () => Promise<void>;
  let older: LettaClient;
  let newer: Letta;
  let rest: Rest;

  beforeAll(async () => {
    const server = await startRuntimeServer({ models });
    close = server.close;
    older = new LettaClient({ baseUrl: server.url, token: 'none' });
    rest = createRest(server.url);
    newer = new Letta({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
  });

  afterAll(async () => {
    await close();
  });

  /** Creates an agent with these rules through a client. Returns its id and the rules as the client reads them. */
  const makers = {
    '0.1.132': async (rules: readonly Rule[]) => {
      const { id } = await older.agents.create({
        ...{
          agentType: 'memgpt_agent',
          model: 'perdure/demo',
          embedding: 'perdure/use-lite',
          tools: [...tools],
        },
        memoryBlocks: [
          { label: 'human', value: 'H' },
          { label: 'persona', value: 'P' },
        ],
        toolRules: rules.map((rule) => renamed(rule, toCamel)) as Older.CreateAgentRequestToolRulesItem[],
        ...{ includeBaseTools: false, includeBaseToolRules: false },
      });
      const { toolRules = [] } = await older.agents.retrieve(id);
      return { id, rules: toolRules.map((rule) => renamed(rule, toSnake)) };
    },
    '1.12.1': async (rules: readonly Rule[]) => {
      const { id } = await newer.agents.create({
        ...{
          agent_type: 'memgpt_agent',
          model: 'perdure/demo',
          embedding: 'perdure/use-lite',
          tools: [...tools],
        },
        memory_blocks: [
          { label: 'human', value: 'H' },
          { label: 'persona', value: 'P' },
        ],
        tool_rules: [...rules],
        ...{ include_base_tools: false, include_base_tool_rules: false },
      });
      return { id, rules: (await newer.agents.retrieve(id)).tool_rules ?? [] };
    },
  };

  const table = [
    ...cases.map((one) => ({ ...one, version: '1.12.1' as const })),
    ...cases.flatMap(({ older: differing, ...one }) =>
      differing === null ? [] : [{ ...one, ...differing, version: '0.1.132' as const }],
    ),
  ];

  it.each(table)(
    '[seeds.rules] $kind of $version is returned as sent and enforced in a turn',
    async ({ version, rule, calls, choices, returns, stop, memory }) => {
      const { id, rules } = await makers[version]([rule, exit]);
      const before = models.requests.length;
      models.script(...calls);

      const body = { input: 'Hello', use_assistant_message: false };
      const answer = await rest.read<Answered>('POST', `/v1/agents/${id}/messages`, body);

      expect(rules.map(present)).toEqual([rule, exit]);
      const returned = answer.messages
        .filter(({ message_type }) => message_type === 'tool_return_message')
        .map(({ tool_return }) => tool_return);
      expect(returned).toEqual(returns.map((text) => expect.stringMatching(text)));
      expect(answer.stop_reason).toMatchObject({ stop_reason: stop });
      expect(models.requests.slice(before).map(({ toolChoice }) => toolChoice)).toEqual(choices);
      const blocks = await newer.agents.blocks.list(id);
      expect(blocks.items.map(({ value }) => value)).toEqual(memory);
    },
  );
});

/** The rule with renamed fields. Nested values stay. */
function renamed(rule: object, rename: (name: string) => string): object {
  return Object.fromEntries(Object.entries(rule).map(([key, value]) => [rename(key), value as unknown]));
}

/** The fields that are set: one client generation reads null as absent. */
function present(rule: object): object {
  return Object.fromEntries(Object.entries(rule).filter(([, value]) => value != null));
}

function toCamel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function toSnake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
