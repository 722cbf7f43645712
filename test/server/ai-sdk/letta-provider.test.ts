import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLetta } from '@letta-ai/vercel-ai-sdk-provider';
import { generateText, streamText } from 'ai';
import { createScriptedModels, saying } from '../../support/models/scripted-model.js';
import { type RuntimeServer, startRuntimeServer } from '../runtime-app.js';

const models = createScriptedModels();
let server: RuntimeServer;
let letta: ReturnType<typeof createLetta>;

beforeAll(async () => {
  server = await startRuntimeServer({ models });
  letta = createLetta({ baseUrl: server.url, token: 'none' });
});

afterAll(() => server.close());

it('[ai-sdk.letta-provider] Letta’s unmodified provider for the AI SDK generates and streams text', async () => {
  const agent = await server.runtime.anAgent();
  models.script(saying('Good day.'), saying('Good evening.'));
  const providerOptions = { letta: { agent: { id: agent.id, streamTokens: true } } };

  const whole = await generateText({ model: letta(), providerOptions, prompt: 'Hello' });
  const stream = streamText({ model: letta(), providerOptions, prompt: 'Hello again' });
  let streamed = '';
  for await (const text of stream.textStream) streamed += text;

  expect(whole.text).toBe('Good day.');
  expect(whole.finishReason).toBe('stop');
  expect(streamed).toBe('Good evening.');
});
