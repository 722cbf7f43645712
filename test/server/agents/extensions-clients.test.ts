/* eslint-disable @typescript-eslint/no-deprecated -- older clients choose what they are shown by it */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LettaClient } from 'letta-client-0';
import Letta from 'letta-client-1';
import { noExtensions } from '../../../adapters/extensions/open-extensions.js';
import { describeExtension, extensionKey } from '../../../core/extensions/extension.js';
import taskList from '../../../examples/task-list/extension.js';
import { callOf, createScriptedModels } from '../../support/models/scripted-model.js';
import { startRuntimeServer } from '../runtime-app.js';

/** How a client wants messages to be shown. */
interface Wish {
  readonly use?: boolean;
  readonly tool?: string;
  readonly argument?: string;
}

/** A message as both client generations read it: its type, its name, and what was said or called. */
type Shown = readonly [type: string, name: string | null, said: string];

const textOf = (content: unknown): string => (typeof content === 'string' ? content : 'no text');

const voice = () => callOf('send_voice_message', { text: 'Hello there!', mood: 'happy' });
const voiceSpoken: Shown = ['assistant_message', 'send_voice_message', 'Hello there!'];
const voiceCalled: Shown = ['tool_call_message', null, 'send_voice_message'];
const writing = () => callOf('send_message', { message: 'In writing.' });

describe('clients of agents with speaking tools from an extension', () => {
  const models = createScriptedModels();
  // A speaking tool runs no function, so the extension's description is enough.
  const extensions = {
    ...noExtensions,
    all: [{ ...describeExtension(taskList), decides: false, compiles: false }],
  };
  let close: () => Promise<void>;
  let older: LettaClient;
  let newer: Letta;

  beforeAll(async () => {
    const server = await startRuntimeServer({ models, extensions });
    close = server.close;
    older = new LettaClient({ baseUrl: server.url, token: 'none' });
    newer = new Letta({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
  });

  afterAll(async () => {
    await close();
  });

  const model = 'perdure/demo';
  const embedding = 'perdure/use-lite';
  const metadata = { [extensionKey]: 'task-list' };
  const tools = ['send_voice_message'];
  const clients = {
    '0.1.132': {
      async create(chosen: object) {
        const agent = await older.agents.create({ model, embedding, tools, metadata: { ...chosen } });
        return { id: agent.id, metadata: agent.metadata };
      },
      async send(id: string, { use, tool, argument }: Wish): Promise<Shown[]> {
        const { messages } = await older.agents.messages.create(id, {
          messages: [{ role: 'user', content: 'Hi' }],
          ...(use === undefined ? {} : { useAssistantMessage: use }),
          ...(tool === undefined ? {} : { assistantMessageToolName: tool }),
          ...(argument === undefined ? {} : { assistantMessageToolKwarg: argument }),
        });
        return messages.flatMap((message): Shown[] =>
          message.messageType === 'assistant_message'
            ? [[message.messageType, message.name ?? null, textOf(message.content)]]
            : message.messageType === 'tool_call_message'
              ? [[message.messageType, null, message.toolCall.name ?? '']]
              : [],
        );
      },
      async stream(id: string): Promise<string> {
        const stream = await older.agents.messages.createStream(id, {
          messages: [{ role: 'user', content: 'Hi' }],
          streamTokens: true,
        });
        let said = '';
        for await (const part of stream) {
          if (part.messageType === 'assistant_message') said += `${part.name ?? ''}|${textOf(part.content)}`;
        }
        return said;
      },
    },
    '1.12.1': {
      async create(chosen: object) {
        const agent = await newer.agents.create({
          ...{ model, embedding, tools, metadata: { ...chosen } },
          agent_type: 'memgpt_agent',
        });
        return { id: agent.id, metadata: agent.metadata };
      },
      async send(id: string, { use, tool, argument }: Wish): Promise<Shown[]> {
        const { messages } = await newer.agents.messages.create(id, {
          input: 'Hi',
          ...(use === undefined ? {} : { use_assistant_message: use }),
          ...(tool === undefined ? {} : { assistant_message_tool_name: tool }),
          ...(argument === undefined ? {} : { assistant_message_tool_kwarg: argument }),
        });
        return messages.flatMap((message): Shown[] =>
          message.message_type === 'assistant_message'
            ? [[message.message_type, message.name ?? null, textOf(message.content)]]
            : message.message_type === 'tool_call_message'
              ? [[message.message_type, null, message.tool_call.name ?? '']]
              : [],
        );
      },
      async stream(id: string): Promise<string> {
        const stream = await newer.agents.messages.create(id, {
          ...{ input: 'Hi', streaming: true, stream_tokens: true },
        });
        let said = '';
        for await (const part of stream) {
          if (part.message_type === 'assistant_message') said += `${part.name ?? ''}|${textOf(part.content)}`;
        }
        return said;
      },
    },
  };
  const versions = ['0.1.132', '1.12.1'] as const;

  it.each(versions)('select a loaded extension by the agent’s metadata: %s [ext.choice]', async (version) => {
    const client = clients[version];

    expect((await client.create(metadata)).metadata).toEqual(metadata);
    await expect(client.create({ [extensionKey]: 'elsewhere' })).rejects.toMatchObject({
      [version === '1.12.1' ? 'status' : 'statusCode']: 422,
      message: expect.stringMatching(/extension .*elsewhere.* is not loaded; loaded are: task-list/),
    });
  });

  it.each(versions)('see what was said and the tool that said it: %s [ext.messaging]', async (version) => {
    const client = clients[version];
    const { id } = await client.create({});
    const said = async (wish: Wish, ...script: readonly ReturnType<typeof callOf>[]) => {
      models.script(...script);
      return client.send(id, wish);
    };

    expect(await said({}, voice())).toEqual([voiceSpoken]);
    expect(await said({ use: false }, voice())).toEqual([voiceCalled]);
    expect(await said({ tool: 'send_message' }, voice())).toEqual([voiceCalled]);
    expect(await said({ tool: 'send_voice_message', argument: 'mood' }, voice())).toEqual([
      ['assistant_message', 'send_voice_message', 'happy'],
    ]);
    expect(await said({ tool: 'send_voice_message' }, writing())).toEqual([
      ['tool_call_message', null, 'send_message'],
    ]);
    expect(await said({}, writing())).toEqual([['assistant_message', null, 'In writing.']]);
    models.script(voice());
    expect((await client.stream(id)).replaceAll('send_voice_message|', '')).toBe('Hello there!');
  });
});
