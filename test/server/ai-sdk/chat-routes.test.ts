import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as ai5 from 'ai';
import * as ai6 from 'ai-6';
import { WorldFailure } from '../../../core/failures.js';
import { listMessages } from '../../../schema/threads/messages.js';
import { issueToolToken } from '../../../schema/tools/tokens.js';
import { listTurns } from '../../../schema/turns/turns.js';
import { packageFile } from '../../../stack/processes.js';
import { waitFor } from '../../../stack/waiting.js';
import { heldAnswer } from '../../support/models/held-answer.js';
import { besideTheDemo, callOf, createScriptedModels, saying } from '../../support/models/scripted-model.js';
import { compileForRun } from '../../support/run/compiled.js';
import { createRuntimeApp, type RuntimeServer, startRuntimeServer } from '../runtime-app.js';

const scripted = createScriptedModels();
const models = besideTheDemo(scripted);
const password = 'open sesame';
const headers = { authorization: `Bearer ${password}` };

let server: RuntimeServer;

beforeAll(async () => {
  server = await startRuntimeServer({ models }, { password });
});

afterAll(async () => {
  await server.close();
});

const api = (at = server.url) => `${at}/v1/ui/chat`;
const anAgent = (input = {}) =>
  server.runtime.anAgent({ blocks: [{ label: 'human', value: 'Name: Ada.' }], ...input });

let asked = 0;
function question(text: string): ai6.UIMessage {
  asked += 1;
  return { id: `question-${asked}`, role: 'user', parts: [{ type: 'text', text }] };
}

/** An edit followed by another step. */
const noting = (content: string) =>
  callOf('core_memory_append', { label: 'human', content, request_heartbeat: true });

interface Reading {
  readonly chatId: string;
  readonly messages: ai6.UIMessage[];
  readonly abortSignal?: AbortSignal;
  readonly at?: string;
}

function send({ chatId, messages, abortSignal, at = server.url }: Reading) {
  const transport = new ai6.DefaultChatTransport({ api: api(at), headers });
  const request = { trigger: 'submit-message', chatId, messageId: undefined, messages } as const;
  return transport.sendMessages({ ...request, abortSignal });
}

async function chunksOf(stream: ReadableStream<ai6.UIMessageChunk>): Promise<ai6.UIMessageChunk[]> {
  const chunks: ai6.UIMessageChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

async function lastOf<Message>(messages: AsyncIterable<Message>): Promise<Message | undefined> {
  let last: Message | undefined;
  for await (const message of messages) last = message;
  return last;
}

const reconnect = (chatId: string) =>
  new ai6.DefaultChatTransport({ api: api(), headers }).reconnectToStream({ chatId });

/** `useChat` without React. */
class Chat extends ai6.AbstractChat<ai6.UIMessage> {
  constructor(chatId: string, more: Partial<ai6.ChatInit<ai6.UIMessage>> = {}) {
    const transport = new ai6.DefaultChatTransport({ api: api(), headers });
    super({ id: chatId, transport, state: new PlainState(), ...more });
  }
}

class PlainState implements ai6.ChatState<ai6.UIMessage> {
  status: ai6.ChatStatus = 'ready';
  error: Error | undefined = undefined;
  messages: ai6.UIMessage[] = [];
  pushMessage = (message: ai6.UIMessage): void => {
    this.messages = [...this.messages, message];
  };
  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: ai6.UIMessage): void => {
    this.messages = this.messages.with(index, structuredClone(message));
  };
  snapshot = <T>(thing: T): T => structuredClone(thing);
}

const outline = (message: ai6.UIMessage | undefined) =>
  (message?.parts ?? []).map((part) =>
    part.type === 'text' || part.type === 'reasoning'
      ? `${part.type}: ${part.text}`
      : part.type === 'dynamic-tool'
        ? `${part.toolName}: ${part.state}`
        : part.type,
  );

const edited = ['step-start', expect.stringMatching(/^reasoning: /), 'core_memory_append: output-available'];

describe('an AI SDK chat', () => {
  it.each([
    // The test uses only what both versions share.
    ['5', ai5 as unknown as typeof ai6],
    ['6', ai6],
  ])(
    '[ai-sdk.stream] reads reasoning, tool calls, results and text with version %s',
    async (_version, sdk) => {
      const agent = await anAgent();
      scripted.script(noting('Loves tea.'), saying('I noted that.'));
      const transport = new sdk.DefaultChatTransport({ api: api(), headers });

      const stream = await transport.sendMessages({
        ...{ trigger: 'submit-message', chatId: agent.id, messageId: undefined },
        ...{ messages: [question('I love tea.')], abortSignal: undefined },
      });
      const message = await lastOf(sdk.readUIMessageStream({ stream }));

      expect(outline(message)).toEqual([
        ...edited,
        'step-start',
        ...[expect.stringMatching(/^reasoning: /), 'text: I noted that.'],
      ]);
      expect(message?.parts.find((part) => part.type === 'dynamic-tool')).toMatchObject({
        input: { label: 'human', content: 'Loves tea.' },
        output: expect.any(String),
      });
      expect(message).toMatchObject({
        id: expect.stringMatching(/^run-/),
        metadata: { run_id: message?.id, stop_reason: 'end_turn', usage: { step_count: 2 } },
      });
    },
  );

  it('[ai-sdk.stream] streams plain-text answers with the protocol’s header', async () => {
    const agent = await server.runtime.anAgent({ agentType: 'letta_v1_agent' });
    scripted.script({ text: 'Good evening to you.' });

    const answer = await fetch(api(), {
      ...{ method: 'POST', headers: { ...headers, 'content-type': 'application/json' } },
      body: JSON.stringify({ id: agent.id, messages: [question('Hello')] }),
    });
    const text = await answer.text();

    expect(answer.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(text.match(/"type":"text-delta"/g)?.length).toBeGreaterThan(1);
    expect(text).toMatch(/"type":"finish".*\n\ndata: \[DONE\]\n\n$/);
  });

  it('[ai-sdk.resume] resumes a cut stream from its beginning, and has nothing to resume after the turn', async () => {
    const agent = await anAgent();
    const held = heldAnswer(saying('Done.'));
    scripted.script(noting('Loves tea.'), held.line);
    const connection = new AbortController();
    const cut = await send({
      ...{ chatId: agent.id, messages: [question('I love tea.')] },
      abortSignal: connection.signal,
    });
    const reader = cut.getReader();
    const first = await reader.read();
    await held.begun;
    connection.abort();

    const resumed = await reconnect(agent.id);
    held.release();
    const message = await lastOf(ai6.readUIMessageStream({ stream: resumed! }));

    expect(first.value).toMatchObject({ type: 'start', messageId: message?.id });
    expect(outline(message)).toEqual([
      ...[...edited, 'step-start'],
      ...[expect.stringMatching(/^reasoning: /), 'text: Done.'],
    ]);
    expect(await reconnect(agent.id)).toBeNull();
  });

  it('[ai-sdk.resume] resumes on another server after a shutdown without repeating text', async () => {
    const agent = await anAgent();
    const held = heldAnswer(saying('Done.'));
    scripted.script(noting('Loves maps.'), held.line);
    const other = createRuntimeApp(server.runtime, { password });
    const at = await other.listen({ host: '127.0.0.1', port: 0 });
    const addresses = [at, server.url];
    const transport = new ai6.DefaultChatTransport({
      headers,
      api: '/v1/ui/chat',
      fetch: (path, init) =>
        fetch(new URL(path instanceof Request ? path.url : path, addresses.shift() ?? server.url), init),
    });
    const chat = new Chat(agent.id, { transport });

    const sending = chat.sendMessage({ text: 'I love maps.' });
    await held.begun;
    await waitFor(
      () => outline(chat.messages.at(-1)).includes('core_memory_append: output-available') || undefined,
      {
        timeoutMs: 30_000,
      },
    );
    await other.close();
    await sending;
    const told = chat.error?.message;
    const resuming = chat.resumeStream();
    held.release();
    await resuming;

    expect(told).toMatch(/The stream broke off; the agent’s turn goes on/);
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(outline(chat.messages.at(-1))).toEqual([
      ...[...edited, 'step-start'],
      ...[expect.stringMatching(/^reasoning: /), 'text: Done.'],
    ]);
  });

  it('[turn.when-busy-steer] streams the answer to a steering message', async () => {
    const agent = await anAgent();
    const held = heldAnswer(noting('Loves tea.'));
    scripted.script(held.line, saying('Briefly noted.'));
    const first = send({ chatId: agent.id, messages: [question('I love tea.')] }).then(chunksOf);
    await held.begun;
    const transport = new ai6.DefaultChatTransport({ api: api(), headers, body: { when_busy: 'steer' } });
    const steering = await transport.sendMessages({
      ...{ trigger: 'submit-message', chatId: agent.id, messageId: undefined },
      ...{ messages: [question('Be brief.')], abortSignal: undefined },
    });
    const resumed = await reconnect(agent.id);
    held.release();

    const [message, again] = await Promise.all(
      [steering, resumed!].map((stream) => lastOf(ai6.readUIMessageStream({ stream }))),
    );

    expect(outline(message)).toEqual([
      'step-start',
      ...[expect.stringMatching(/^reasoning: /), 'text: Briefly noted.'],
    ]);
    expect(again).toEqual(message);
    expect((await first).filter(({ type }) => type === 'start-step')).toHaveLength(2);
  });

  it('[ai-sdk.once] accepts a message once however often it is posted, and keeps the earlier conversation', async () => {
    const agent = await anAgent();
    scripted.script(saying('One.'), saying('Two.'));
    const first = question('First');
    const answered = {
      id: 'answer',
      role: 'assistant' as const,
      parts: [{ type: 'text' as const, text: 'One.' }],
    };

    const once = await chunksOf(await send({ chatId: agent.id, messages: [first] }));
    const again = await chunksOf(await send({ chatId: agent.id, messages: [first] }));
    await chunksOf(await send({ chatId: agent.id, messages: [first, answered, question('Second')] }));

    expect(again).toEqual(once);
    const heard = await listMessages(server.runtime.db, { threadId: agent.id, kinds: ['user'] }, {});
    expect(heard).toHaveLength(2);
  });

  it('[ai-sdk.approvals] requests approval and continues the same message after the answer', async () => {
    const toolRules = [{ kind: 'requires_approval' as const, tool: 'core_memory_append' }];
    const agent = await anAgent({ toolRules });
    scripted.script(noting('Loves tea.'), saying('Noted.'), noting('Loves rum.'), saying('Then not.'));
    const chat = new Chat(agent.id, {
      sendAutomaticallyWhen: ai6.lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    const decide = async (approved: boolean) => {
      const part = chat.messages.at(-1)?.parts.findLast((one) => one.type === 'dynamic-tool');
      expect(part?.state).toBe('approval-requested');
      await chat.addToolApprovalResponse({ id: part!.toolCallId, approved });
      await waitFor(() => outline(chat.messages.at(-1)).at(-1)?.startsWith('text: ') || undefined, {
        timeoutMs: 30_000,
      });
      await waitFor(() => chat.status === 'ready' || undefined, { timeoutMs: 30_000 });
      return outline(chat.messages.at(-1));
    };

    await chat.sendMessage({ text: 'I love tea.' });
    const approved = await decide(true);
    await chat.sendMessage({ text: 'I love rum.' });
    const denied = await decide(false);

    expect(approved).toContain('core_memory_append: output-available');
    expect(approved.at(-1)).toBe('text: Noted.');
    expect(denied).toContain('core_memory_append: output-denied');
    expect(denied.at(-1)).toBe('text: Then not.');
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it('[ai-sdk.ends] reports failures as errors and cancelled turns as aborted', async () => {
    const agent = await anAgent();
    scripted.script(new WorldFailure('Model.BadRequest', 'The model refused this.', { retryable: false }));
    const failed = await chunksOf(await send({ chatId: agent.id, messages: [question('Fail')] }));
    const held = heldAnswer(saying('Too late.'));
    scripted.script(held.line);
    const reading = send({ chatId: agent.id, messages: [question('Stop')] }).then(chunksOf);
    await held.begun;
    const [turn] = await listTurns(server.runtime.db, { threadId: agent.id }, { order: 'desc', limit: 1 });
    await server.runtime.turns.cancel(turn!.id);
    const cancelled = await reading;
    held.release();

    expect(failed.at(-1)).toMatchObject({
      type: 'error',
      errorText: expect.stringContaining('The model refused this.'),
    });
    expect(cancelled.at(-1)).toEqual({ type: 'abort' });
  });

  it('[ai-sdk.wrong-input] rejects an invalid request with the reason', async () => {
    const { id } = await anAgent();
    const caller = { agentId: id, turnId: null, stepId: null, toolCallId: null, effectId: null };
    const toolToken = await issueToolToken(server.runtime.db, caller, 600_000);
    const said = question('Hello');
    const post = async (body: object, more: Record<string, string> = headers) => {
      const answer = await server.app.inject({ method: 'POST', url: '/v1/ui/chat', headers: more, body });
      return `${answer.statusCode} ${answer.body}`;
    };
    const file = { type: 'file', mediaType: 'text/csv', url: 'data:text/csv;base64,YQ==' };

    expect(await post({ id: 'chat-1', messages: [said] })).toMatch(
      /^422 .*id of an agent or of a conversation/,
    );
    expect(await post({ id, messages: [] })).toMatch(/^422 .*body.messages/);
    expect(await post({ id, messages: [{ ...said, parts: [] }] })).toMatch(
      /^422 .*neither text nor an image/,
    );
    expect(await post({ id, messages: [{ ...said, parts: [file] }] })).toMatch(
      /^422 .*text\/csv.*only images/,
    );
    expect(await post({ id, messages: [{ ...said, role: 'assistant' }] })).toMatch(
      /^422 .*must be the user’s/,
    );
    expect(await post({ id, messages: [said], trigger: 'regenerate-message' })).toMatch(/^422 .*made again/);
    expect(await post({ id, messages: [said] }, {})).toMatch(/^401 /);
    expect(await post({ id, messages: [said] }, { 'x-perdure-tool-token': toolToken })).toMatch(/^403 /);
    expect(await listTurns(server.runtime.db, { threadId: id }, {})).toEqual([]);
  });

  it('[ai-sdk.example] works in the shipped example', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [await compileForRun('examples/ai-sdk-chat.ts')],
      {
        cwd: packageFile('.'),
        env: {
          ...process.env,
          ...{ PERDURE_URL: server.url, LETTA_SERVER_PASSWORD: password, PERDURE_MODEL: 'perdure/demo' },
          NODE_OPTIONS: '',
        },
        timeout: 170_000,
      },
    );

    expect(stdout).toMatch(/^The connection is lost\. The agent goes on\.\n/);
    expect(stdout).toContain('calls core_memory_replace: output-available');
    expect(stdout).toMatch(/agent: I noted in core memory: .*Name: Ada/);
  });
});
