import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LLMock } from '@copilotkit/aimock';
import { createModels } from '../../adapters/models/models.js';

const mock = new LLMock({ port: 0, logLevel: 'silent' });

beforeAll(async () => {
  await mock.start();
});
afterAll(() => mock.stop());

describe('model handles', () => {
  it.each([
    ['openai/gpt-4o', /needs a key: set OPENAI_API_KEY \(and OPENAI_BASE_URL for a compatible server\)/],
    ['anthropic/claude-sonnet-4-5', /set ANTHROPIC_API_KEY/],
    ['google_ai/gemini-2.5-pro', /set GEMINI_API_KEY/],
    ['ollama/llama3.2', /set OLLAMA_BASE_URL, for example http:\/\/localhost:11434\/v1/],
    ['nowhere/model', /the providers are openai, anthropic, google_ai, gemini, openrouter, ollama, vllm/],
    ['gpt-4o', /a handle is provider\/model/],
    ['openai/', /a handle is provider\/model/],
    ['perdure/other', /of which there is only perdure\/demo/],
  ])('[model.no-credentials] report what %s needs', (handle, sentence) => {
    const resolve = () => createModels({}).resolve(handle);

    expect(resolve).toThrow(sentence);
    expect(resolve).toThrow(expect.objectContaining({ type: 'Model.NotConfigured', retryable: false }));
  });

  it.each([
    ['openai/gpt-4o-mini', 128_000],
    ['openai/gpt-4.1', 1_047_576],
    ['openai/gpt-5', 400_000],
    ['openai/o3-mini', 200_000],
    ['anthropic/claude-sonnet-4-5', 200_000],
    ['google_ai/gemini-2.5-pro', 1_048_576],
    ['openrouter/openai/gpt-4o', 128_000],
    ['vllm/somebody/their-model', 32_000],
  ])('give the known or assumed context window of %s', (handle, contextWindow) => {
    expect(createModels({}).describe(handle)).toMatchObject({ handle, contextWindow });
  });

  it('[model.handles] split at the first slash and keep the prefix with any base URL', () => {
    const models = createModels({
      vllm: { baseUrl: 'http://localhost:9' },
      openai: { baseUrl: 'http://x/v1' },
    });

    expect(models.resolve('vllm/meta/llama').description).toMatchObject({
      provider: 'vllm',
      model: 'meta/llama',
      endpoint: 'http://localhost:9/v1',
    });
    expect(models.resolve('openai/anything').description.handle).toBe('openai/anything');
  });

  it('[model.listed] list the demo model and the models of providers that answer', async () => {
    const models = createModels({
      openai: { baseUrl: `${mock.url}/v1`, apiKey: 'any' },
      ollama: { baseUrl: 'http://127.0.0.1:1' },
    });

    const handles = (await models.list()).map((model) => model.handle);

    expect(handles[0]).toBe('perdure/demo');
    expect(handles.length).toBeGreaterThan(1);
    expect(handles.slice(1).every((handle) => handle.startsWith('openai/'))).toBe(true);
    expect(handles).not.toContain('openai/text-embedding-3-small');
  });
});
