import { setTimeout as delay } from 'node:timers/promises';
import { type ChatRequest, lastReturned, lastSaid, type Reply } from '../support/model-server.js';

/** `text`: what it says beside the calls of this answer. */
type Call = { readonly call: string; readonly args: Record<string, unknown>; readonly text?: string };

/** What the user wants, and what the model sees of its surroundings. */
interface Scene {
  readonly said: string;
  readonly prompt: string;
  /** Everything in the conversation before what was said last. */
  readonly before: string;
  readonly has: (tool: string) => boolean;
}

/** What is to be done where the user says this: calls, one answer after the other, or words. */
interface Rule {
  readonly when: RegExp;
  readonly then: (match: RegExpExecArray, scene: Scene) => readonly Call[] | Call[][] | string | undefined;
}

/** How long it thinks before each answer, in ms: so that what is cancelled "at once" is still running. */
const thinkingMs = 350;
/** Where dice are rolled: a test that cancels this sleeps in half seconds meanwhile, and comes to cancel between two of them. */
const rollingMs = 1_200;

/**
 * A model that does what it is told: it calls the tool that a message names, remembers what it was told, says what a
 * tool returned. Models of Anthropic's and Google's think aloud, as the tests of Letta's server expect of them.
 */
export async function obedientModel(request: ChatRequest, step: number): Promise<Reply> {
  await delay(lastSaid(request).includes('roll_dice') ? rollingMs : thinkingMs);
  const reply = answer(request, step);
  const thinks = /^(claude|gemini|gpt-5|o\d)/.test(request.model);
  return 'status' in reply || !thinks ? reply : { reasoning: 'I do what I was asked to do.', ...reply };
}

function answer(request: ChatRequest, step: number): Reply {
  const scene = sceneOf(request);
  if (request.tools === undefined || request.tools.length === 0) return { text: wordsOf(request, scene) };
  const plan = planOf(scene);
  const next = typeof plan === 'string' ? undefined : plan?.[step];
  const [first, ...also] = next ?? [];
  if (first !== undefined) return also.length === 0 ? first : { ...first, also };
  const text = wordsOf(request, scene);
  return scene.has('send_message') ? { call: 'send_message', args: { message: text } } : { text };
}

/** The calls of each answer, one answer after the other; or words. */
function planOf(scene: Scene): readonly (readonly Call[])[] | string | undefined {
  for (const { when, then } of rules) {
    const match = when.exec(scene.said);
    const found = match === null ? undefined : then(match, scene);
    if (found === undefined) continue;
    if (typeof found === 'string') return found;
    const answers = found.map((one) => (Array.isArray(one) ? one : [one]));
    if (answers.flat().every(({ call }) => scene.has(call))) return answers;
  }
  return undefined;
}

/** What it says where nothing is left to do. */
function wordsOf(request: ChatRequest, scene: Scene): string {
  const override = /Always respond with a single word: "(\w+)"/.exec(scene.prompt)?.[1];
  if (override !== undefined) return override;
  const format = (request as { response_format?: { json_schema?: { schema?: JsonSchema } } }).response_format;
  const schema = format?.json_schema?.schema;
  if (schema !== undefined) return JSON.stringify(fromSchema(schema));
  const plan = planOf(scene);
  if (typeof plan === 'string') return plan;
  const last = request.messages.at(-1);
  return last?.role === 'tool'
    ? `The tool returned: ${lastReturned(request)}`
    : `You said: ${scene.said.slice(0, 200)}`;
}

interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

function fromSchema(schema: JsonSchema): unknown {
  if (schema.type !== 'object') return 'Paris, for it is the capital.';
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [name, fromSchema(property)]),
  );
}

const rules: readonly Rule[] = [
  { when: /Reply with the message '([^']+)'/, then: ([, text]) => text },
  {
    when: /roll_dice tool EXACTLY three times in parallel/,
    then: () => [[6, 12, 20].map((sides) => ({ call: 'roll_dice', args: { num_sides: sides } }))],
  },
  {
    when: /Call the (roll_dice) tool with (\d+) sides/,
    then: ([, call, sides]) => [{ call: call!, args: { num_sides: Number(sides) } }],
  },
  {
    when: /get_secret_code_tool 3 times in parallel .*roll_dice_tool once/,
    then: () => [
      [
        ...['hello world', 'hello letta', 'hello test'].map((text) => ({
          ...{ call: 'get_secret_code_tool', args: { input_text: text } },
          text: 'I do all of it.',
        })),
        { call: 'roll_dice_tool', args: { num_sides: 16 } },
      ],
    ],
  },
  {
    when: /[Cc]all (?:the )?(get_secret_code_tool|get_secret_code) (?:to get the code for text|tool with input|again with input) '([^']+)'/,
    then: ([, call, text]) => [{ call: call!, args: { input_text: text } }],
  },
  {
    when: /What was the exact secret code/,
    then: (_match, { before }) => /[A-Z_]*(?:SECRET|CODE)[A-Z_]*\d+/.exec(before)?.[0] ?? 'I do not know.',
  },
  {
    when: /exact secret word '(\w+)'/,
    then: ([, word], { said }) => [
      {
        call: 'send_message_to_agent_and_wait_for_reply',
        args: {
          message: `The secret word is ${word}.`,
          other_agent_id: /agent-[0-9a-f-]{36}/.exec(said)?.[0],
        },
      },
    ],
  },
  {
    when: /Send a message to all agents with tags (\[[^\]]+\]) (.*)/,
    then: ([, tags, rest]) => [
      {
        call: 'send_message_to_agents_matching_tags',
        args: {
          message: `I was told to reach you, ${rest}`,
          match_all: [...tags!.matchAll(/'([^']+)'/g)].map(([, tag]) => tag),
          match_some: [],
        },
      },
    ],
  },
  { when: /roll a dice for you/, then: () => [{ call: 'roll_dice', args: {} }] },
  { when: /call the (\w+) function/, then: ([, call]) => [{ call: call!, args: {} }] },
  {
    when: /Use ONLY the open_files tool to open the file named (\S+) with offset (\d+) and length (\d+)/,
    then: ([, name, offset, length]) => [
      {
        call: 'open_files',
        args: { file_requests: [{ file_name: name, offset: Number(offset), length: Number(length) }] },
      },
    ],
  },
  {
    when: /Use ONLY the grep_files tool to search for `([^`]+)`/,
    then: ([, pattern]) => [{ call: 'grep_files', args: { pattern } }],
  },
  {
    when: /semantic_search_files tool to search for (?:details regarding the )?'?([\w ]+)/,
    then: ([, query]) => [{ call: 'semantic_search_files', args: { query } }],
  },
  {
    when: /Use the echo tool to echo back this exact message: '([^']+)'/,
    then: ([, message]) => [{ call: 'echo', args: { message } }],
  },
  {
    when: /First use the add tool to add (\d+) and (\d+). Then use the multiply tool to multiply the result by (\d+)/,
    then: ([, a, b, times]) => {
      const sum = Number(a) + Number(b);
      return [
        { call: 'add', args: { a: Number(a), b: Number(b) } },
        { call: 'multiply', args: { a: sum, b: Number(times) } },
        { call: 'echo', args: { message: String(sum * Number(times)) } },
      ];
    },
  },
  {
    when: /Use the add tool to add (\d+) and (\d+)/,
    then: ([, a, b]) => [{ call: 'add', args: { a: Number(a), b: Number(b) } }],
  },
  {
    when: /get_parameter_type_description tool with preset "(\w)"/,
    then: ([, preset]) => [{ call: 'get_parameter_type_description', args: { preset } }],
  },
  {
    when: /get_parameter_type_description tool with these arguments/,
    then: () => [
      {
        call: 'get_parameter_type_description',
        args: {
          preset: 'b',
          connected_service_descriptor: 'test-service',
          instantiation_data: {
            isAbstract: true,
            isMultiplicity: false,
            instantiations: [{ doid: 'TEST123', nodeFamilyId: 42 }],
          },
        },
      },
    ],
  },
  {
    when: /create_person tool to create a person named "John Doe"/,
    then: () => [
      {
        call: 'create_person',
        args: {
          name: 'John Doe',
          age: 30,
          email: 'john@example.com',
          address: { street: '123 Main St', city: 'New York', zip: '10001' },
        },
      },
    ],
  },
  {
    when: /Update the inventory for product 'iPhone 15'/,
    then: () => [
      {
        call: 'manage_inventory',
        args: {
          data: {
            timestamp: 1640995200,
            transaction_id: 'TXN-12345',
            item: { sku: 'IPH15-001', name: 'iPhone 15', price: 999.99, category: 'Electronics' },
          },
          quantity_change: 10,
        },
      },
    ],
  },
  {
    when: /Create a task plan/,
    then: () => [
      {
        call: 'create_task_plan',
        args: {
          steps: ['Schedule meeting', 'Send invitations', 'Prepare agenda'].map((name) => ({
            name,
            description: `${name} for the team meeting`,
          })),
          explanation: 'This plan ensures a well-organized team meeting.',
        },
      },
    ],
  },
  {
    when: /[Mm]y name is actually (\w+)/,
    then: ([, name], { has }) =>
      has('memory_insert')
        ? [{ call: 'memory_insert', args: { label: 'human', new_string: `Their name is ${name}.` } }]
        : has('core_memory_append')
          ? [{ call: 'core_memory_append', args: { label: 'human', content: `Their name is ${name}.` } }]
          : [
              {
                call: 'memory',
                args: { command: 'insert', path: '/memories/human', insert_text: `Their name is ${name}.` },
              },
            ],
  },
  {
    when: /Messi has now moved to playing for Inter Miami/,
    then: () => [
      {
        call: 'memory_replace',
        args: {
          label: 'fact_block',
          old_string: 'Messi plays for the team Paris Saint-Germain.',
          new_string: 'Messi plays for the team Inter Miami.',
        },
      },
      { call: 'memory_finish_edits', args: {} },
    ],
  },
  {
    when: /./s,
    then: (_match, { has }) =>
      has('memory_finish_edits') ? [{ call: 'memory_finish_edits', args: {} }] : undefined,
  },
  {
    when: /What word did I ask you to remember/,
    then: (_match, { before }) => /the word: (\w+)/.exec(before)?.[1],
  },
  {
    when: /what'?s? ?(?:is )?my favorite (\w+)/i,
    then: ([, thing], { before }) => new RegExp(`my favorite ${thing} is (?:a )?(\\w+)`).exec(before)?.[1],
  },
  {
    when: /[Ss]kill(s are available| names)/,
    then: (_match, { prompt, before }) => {
      const names = [...`${prompt}${before}`.matchAll(/\.skills\/([\w-]+)\//g)].map(([, name]) => name);
      return [...new Set(names)].join(', ') || undefined;
    },
  },
  {
    when: /what ?(?:is|'s|s) my name/i,
    then: (_match, { prompt }) => /(?:Their name is|username:) (\w+)/.exec(prompt)?.[1],
  },
  {
    when: /count from 1 to (\d+)/,
    then: ([, end]) => Array.from({ length: Number(end) }, (_, index) => index + 1).join(' '),
  },
];

function sceneOf(request: ChatRequest): Scene {
  const texts = request.messages.map(({ role, content }) => ({ role, text: unpack(content) }));
  const spoken = texts.findLastIndex(({ role, text }) => role === 'user' && text !== undefined);
  const names = new Set(request.tools?.map((tool) => tool.function.name));
  return {
    said: texts[spoken]?.text ?? texts.at(-1)?.text ?? '',
    prompt: texts[0]?.text ?? '',
    before: texts
      .slice(1)
      .map(({ text }) => text ?? '')
      .join('\n'),
    has: (tool) => names.has(tool),
  };
}

/** A message's words; undefined for what the runtime says in a user's place. */
function unpack(content: unknown): string | undefined {
  const text = typeof content === 'string' ? content : textsOf(content).join('\n');
  if (!text.startsWith('{"type":')) return text;
  const packed = JSON.parse(text) as { type: string; message?: string };
  return packed.type === 'user_message' ? packed.message : undefined;
}

function textsOf(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) =>
    typeof part === 'object' && part !== null && 'text' in part ? [String(part.text)] : [],
  );
}
