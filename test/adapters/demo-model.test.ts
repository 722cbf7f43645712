import { describe, expect, it } from '@jest/globals';
import { createDemoModel } from '../../adapters/models/demo/demo-model.js';
import { compilePrefix } from '../../core/threads/context.js';
import type { ModelDelta, ModelMessage, ModelRequest, ToolSchema } from '../../core/models/model.js';
import { archivalMemoryInsert, archivalMemorySearch } from '../../core/tools/archival.js';
import { memoryInsert, memoryReplace } from '../../core/tools/block-editing.js';
import { coreMemoryAppend, coreMemoryReplace } from '../../core/tools/core-memory.js';
import { sendMessage } from '../../core/tools/messaging.js';
import { conversationSearch } from '../../core/tools/recall.js';
import { summaryRequest } from '../../core/threads/prompts.js';
import { offeredSchemas } from '../../core/tools/tools.js';

const model = createDemoModel();
const searches = [archivalMemoryInsert, archivalMemorySearch, conversationSearch];
const terminal = new Set(['send_message']);
const memgpt = offeredSchemas([sendMessage, coreMemoryAppend, coreMemoryReplace, ...searches], {
  style: 'tools',
  injectThinking: true,
  terminal,
});
const native = offeredSchemas([memoryInsert, memoryReplace, ...searches], {
  style: 'native',
  injectThinking: false,
  terminal,
});

describe('the demo model with MemGPT’s tools', () => {
  it('[model.demo] stores several facts of one message in a step each, and answers last', async () => {
    const talk = begin(memgpt, 'Nothing is known yet.');

    const calls = await talk.say('Hi, my name is Ada and I love chess. My favourite colour is green.');

    expect(calls.map((call) => call.name)).toEqual([
      'core_memory_append',
      'core_memory_append',
      'core_memory_append',
      'send_message',
    ]);
    expect(calls.map((call) => call.arguments['content'])).toEqual([
      'Name: Ada',
      'Loves chess',
      'Favourite colour: green',
      undefined,
    ]);
    expect(calls[0]!.arguments).toMatchObject({ label: 'human', request_heartbeat: true });
    expect(calls[0]!.arguments['thinking']).toEqual(expect.stringContaining('Name: Ada'));
    expect(calls[3]!.arguments['message']).toEqual(expect.stringContaining('Loves chess'));
  });

  it.each(['Name: Bob the Builder', 'The human’s name is Bob the Builder.\nLikes vim.'])(
    'replaces the name in the block: %j',
    async (human) => {
      const talk = begin(memgpt, human);

      const [call] = await talk.say('Actually, my name is Grace.');

      expect(call).toMatchObject({ name: 'core_memory_replace', arguments: { label: 'human' } });
      const old = String(call!.arguments['old_content']);
      expect(human).toContain(old);
      expect(human.replace(old, String(call!.arguments['new_content']))).toBe(
        human.replace('Bob the Builder', 'Grace'),
      );
    },
  );

  it('remembers in a later turn what it stored in an earlier one', async () => {
    const talk = begin(memgpt, '');
    await talk.say('My name is Ada.');

    expect(await talk.say('My name is Ada.')).toMatchObject([{ name: 'send_message' }]);
    expect(await talk.say('What is my name?')).toMatchObject([
      { name: 'send_message', arguments: { message: 'Your name is Ada.' } },
    ]);
    expect(await talk.say('My name is Grace now.')).toMatchObject([
      { name: 'core_memory_replace', arguments: { old_content: 'Name: Ada', new_content: 'Name: Grace' } },
      { name: 'send_message' },
    ]);
  });

  it('learns from a notice that the block was changed by someone else', async () => {
    const talk = begin(memgpt, 'Name: Ada');
    talk.messages.push(
      notice(
        'Your memory block "human" was changed by a user. Its value is now, to the end of this notice:\nName: Eve',
      ),
    );

    expect(await talk.say('Who am I?')).toMatchObject([
      { arguments: { message: 'This is what I know about you: Name: Eve.' } },
    ]);
  });

  it('saves to archival memory, and searches it for what core memory lacks', async () => {
    const talk = begin(memgpt, '');
    const fact = 'The spare key is under the blue pot. It has been there since May';

    expect(await talk.say(`Please save to archival memory: ${fact}.`)).toMatchObject([
      { name: 'archival_memory_insert', arguments: { content: fact, request_heartbeat: true } },
      { name: 'send_message' },
    ]);
    expect(await talk.say('Where is the spare key? Search your archival memory.')).toMatchObject([
      { name: 'archival_memory_search', arguments: { query: 'Where is the spare key' } },
      { name: 'send_message', arguments: { message: expect.stringContaining(fact) as unknown } },
    ]);
  });

  it('searches past messages for what the user said', async () => {
    const talk = begin(memgpt, '');

    expect(await talk.say('What did I say about Norway?')).toMatchObject([
      { name: 'conversation_search', arguments: { query: 'Norway' } },
      { name: 'send_message', arguments: { message: expect.stringContaining('found nothing') as unknown } },
    ]);
  });

  it('appends a fact that it could not replace, and reports a failure', async () => {
    const talk = begin(memgpt, 'Name: Ada', (name) =>
      name === 'send_message' ? undefined : 'The block is full.',
    );

    expect(await talk.say('My name is Grace.')).toMatchObject([
      { name: 'core_memory_replace' },
      { name: 'core_memory_append' },
      {
        name: 'send_message',
        arguments: { message: 'That did not work: The block is full.' },
      },
    ]);
  });

  it('[model.demo] introduces itself when it does not understand', async () => {
    expect(await begin(memgpt, '').say('The weather is fine.')).toMatchObject([
      { arguments: { message: expect.stringContaining('built-in demo model') as unknown } },
    ]);
  });

  it('calls the tool that the request requires', async () => {
    const { messages } = begin(memgpt, '');
    messages.push({ role: 'user', content: 'I love tea' });

    const answer = await model.complete({
      ...request(messages, memgpt),
      toolChoice: { name: 'send_message' },
    });

    expect(answer.toolCalls.map((call) => call.name)).toEqual(['send_message']);
  });
});

describe('the demo model with native tools', () => {
  it('inserts facts and answers in plain text', async () => {
    const talk = begin(native, '');

    const calls = await talk.say('I live in Oslo and my cat is called Pixel.');

    expect(calls).toMatchObject([
      { name: 'memory_insert', arguments: { label: 'human', new_string: 'Lives in Oslo' } },
      { name: 'memory_insert', arguments: { label: 'human', new_string: 'Cat: called Pixel' } },
    ]);
    expect(talk.lastText()).toBe('I noted in core memory: Lives in Oslo; Cat: called Pixel.');
  });

  it('replaces an outdated fact with memory_replace', async () => {
    const talk = begin(native, 'Favourite colour: green');

    expect(await talk.say('My favourite colour is red')).toMatchObject([
      {
        name: 'memory_replace',
        arguments: { old_string: 'Favourite colour: green', new_string: 'Favourite colour: red' },
      },
    ]);
  });

  it('thinks in its reasoning when no tool takes thinking', async () => {
    const { messages } = begin(native, '');
    messages.push({ role: 'user', content: 'I love tea' });

    const answer = await model.complete(request(messages, native));

    expect(answer.reasoning).toContain('Loves tea');
    expect(answer.toolCalls[0]!.arguments).not.toContain('thinking');
  });
});

describe('the demo model', () => {
  it('streams its answer in pieces that add up to it, and counts tokens', async () => {
    const { messages } = begin(memgpt, '');
    messages.push({ role: 'user', content: 'I love tea' });
    const deltas: ModelDelta[] = [];

    const answer = await model.complete(request(messages, memgpt), {
      onDelta: (delta) => deltas.push(delta),
    });

    const pieces = deltas.flatMap((delta) => (delta.kind === 'tool_call' ? [delta.arguments ?? ''] : []));
    expect(pieces.join('')).toBe(answer.toolCalls[0]!.arguments);
    expect(pieces.length).toBeGreaterThan(5);
    expect(deltas[0]).toMatchObject({ id: answer.toolCalls[0]!.id, name: 'core_memory_append' });
    expect(answer.usage.promptTokens).toBeGreaterThan(100);
    expect(answer.usage.totalTokens).toBe(answer.usage.promptTokens + answer.usage.completionTokens);
  });

  it('gives the same answer to the same request', async () => {
    const { messages } = begin(memgpt, '');
    messages.push({ role: 'user', content: 'I love tea' });

    const [first, second] = await Promise.all([1, 2].map(() => model.complete(request(messages, memgpt))));

    expect(first!.toolCalls[0]!.arguments).toBe(second!.toolCalls[0]!.arguments);
  });

  it('rejects with the caller’s reason on abort', async () => {
    const reason = new Error('cancelled');

    await expect(
      model.complete(request([{ role: 'user', content: 'hi' }], memgpt), {
        signal: AbortSignal.abort(reason),
      }),
    ).rejects.toBe(reason);
  });

  it('summarises what the user said, and keeps the previous summary', async () => {
    const messages = summaryRequest({
      previousSummary: 'The user told me: I live in Oslo.',
      transcript: [
        '[Saturday] user: My name is Ada. It rains.',
        '[Saturday] assistant: Hello.',
        '[Saturday] core_memory_append returned: Name: Ada',
      ].join('\n'),
      maxWords: 500,
    });

    const answer = await model.complete({ messages, tools: [], toolChoice: 'none', settings: {} });

    expect(answer).toMatchObject({
      text: 'The user told me: I live in Oslo. My name is Ada. It rains.',
      toolCalls: [],
    });
  });

  it('answers from the user’s own messages in a search result', async () => {
    const found = JSON.stringify({
      message: 'Showing 3 results:',
      results: [
        { timestamp: 't', role: 'assistant', content: 'Norway is nice.' },
        { timestamp: 't', role: 'user', content: 'What did I say about Norway?' },
        { timestamp: 't', role: 'user', content: 'I was in Norway in May.' },
      ],
    });
    const messages: ModelMessage[] = [
      { role: 'user', content: 'What did I say about Norway?' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'a', name: 'conversation_search', arguments: '{"query":"Norway"}' }],
      },
      { role: 'tool', toolCallId: 'a', content: JSON.stringify({ status: 'OK', message: found }) },
    ];

    expect((await model.complete(request(messages, native))).text).toBe(
      'From our past messages: I was in Norway in May.',
    );
  });
});

interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/** A conversation with a minimal runtime that keeps passages. Each tool succeeds unless `fail` returns an error. */
function begin(
  tools: readonly ToolSchema[],
  human: string,
  fail: (tool: string) => string | undefined = () => undefined,
) {
  const messages: ModelMessage[] = [{ role: 'system', content: prefixWith(human) }];
  const passages: string[] = [];

  const run = (call: Call): string => {
    const { name } = call;
    if (name === 'archival_memory_insert') passages.push(String(call.arguments['content']));
    if (name === 'archival_memory_search') {
      return JSON.stringify(passages.map((content) => ({ timestamp: '2026-11-21', content, tags: [] })));
    }
    return name === 'conversation_search' ? 'No results found.' : 'None';
  };
  const say = async (text: string): Promise<Call[]> => {
    messages.push({ role: 'user', content: tools === memgpt ? wrap(text) : text });
    const calls: Call[] = [];
    while (calls.length < 10) {
      const answer = await model.complete(request(messages, tools));
      messages.push({ role: 'assistant', content: answer.text, toolCalls: answer.toolCalls });
      const [made] = answer.toolCalls;
      if (made === undefined) return calls;
      const call: Call = {
        name: made.name,
        arguments: JSON.parse(made.arguments) as Record<string, unknown>,
      };
      calls.push(call);
      const failure = fail(call.name);
      const status = failure === undefined ? 'OK' : 'Failed';
      const content = JSON.stringify({ status, message: failure ?? run(call), time: 'now' });
      messages.push({ role: 'tool', toolCallId: made.id, content });
      if (call.name === 'send_message') return calls;
    }
    throw new Error('the demo model found no end');
  };
  const lastText = () => {
    const last = messages.at(-1);
    return last?.role === 'assistant' ? last.content : undefined;
  };
  return { messages, say, lastText };
}

function request(messages: readonly ModelMessage[], tools: readonly ToolSchema[]): ModelRequest {
  return { messages, tools, toolChoice: tools === memgpt ? 'required' : 'auto', settings: {} };
}

function prefixWith(human: string): string {
  return compilePrefix({
    agentId: 'agent-1',
    threadId: 'agent-1',
    instructions: 'You have a <human> block.',
    blocks: [
      { label: 'persona', description: null, limit: 100, readOnly: false, value: 'Name: nobody' },
      { label: 'human', description: 'The user.', limit: 2_000, readOnly: false, value: human },
    ],
    figures: { recallMessages: 0, archivalPassages: 0 },
    toolRules: [],
    summary: null,
    compiledAt: new Date('2026-11-21T12:00:00Z'),
    timezone: 'UTC',
  });
}

function wrap(text: string): string {
  return JSON.stringify({ type: 'user_message', message: text, time: 'now' });
}

function notice(message: string): ModelMessage {
  return { role: 'user', content: JSON.stringify({ type: 'system_alert', message, time: 'now' }) };
}
