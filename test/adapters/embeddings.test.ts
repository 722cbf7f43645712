import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { LLMock } from '@copilotkit/aimock';
import { createEmbeddings } from '../../adapters/embeddings/embeddings.js';
import { cutIntoPieces } from '../../adapters/embeddings/pieces.js';
import { createGate } from '../../adapters/embeddings/smallest-first.js';
import { createEmbeddingThread } from '../../adapters/embeddings/embedding-thread.js';
import { waitFor } from '../../stack/waiting.js';
import { facts, questions } from '../support/archives/paraphrases.js';
import { testEmbeddings } from '../support/runtime/embeddings.js';

describe('[memory.local-embedding] the local embedding model', () => {
  it('[memory.paraphrase] ranks the right fact first for at least 80 of 100 paraphrased questions', async () => {
    const known = await testEmbeddings.resolve().embed(facts);
    const asked = await testEmbeddings.resolve().embed(questions);

    const found = asked.map((question) => bestOf(question, known));

    const right = found.filter((place, index) => place === index).length;
    expect(right / questions.length).toBeGreaterThanOrEqual(0.8);
  });

  it('returns vectors of length 1 with 512 dimensions for any text', async () => {
    const texts = ['', '   ', '漢字と😀', '\u0000\ud800', 'x'.repeat(1_000), 'many words '.repeat(800)];

    const vectors = await testEmbeddings.resolve().embed(texts);

    expect(vectors).toHaveLength(texts.length);
    for (const vector of vectors) {
      expect(vector).toHaveLength(512);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
  });

  it('returns the same vector for a text alone and among others', async () => {
    const [alone] = await testEmbeddings.resolve().embed(['The cat sleeps.']);
    const [, among] = await testEmbeddings
      .resolve()
      .embed(['Something else entirely.', 'The cat sleeps.', '']);

    expect(dot(alone!, among!)).toBeCloseTo(1, 4);
  });

  it('reads a long text to its end [memory.whole-text]', async () => {
    const long = 'The committee met on Tuesday about the repairs of the roof. '.repeat(15);
    const [boat, budget] = await testEmbeddings
      .resolve()
      .embed([`${long}Her boat is called Aurora.`, `${long}The senate refused the budget.`]);

    expect(dot(boat!, budget!)).toBeLessThan(0.9999);
  });

  it('embeds a question before the rest of a long document [recall.query-first]', async () => {
    const document = Array.from({ length: 6 }, (_, page) => `Page ${page} tells of the sea. `.repeat(10));
    const ended: string[] = [];
    const reading = testEmbeddings
      .resolve()
      .embed(document)
      .then(() => ended.push('document'));

    await testEmbeddings.resolve().embed(['Where is the key?']);
    ended.push('question');

    await reading;
    expect(ended).toEqual(['question', 'document']);
  });

  it('keeps the event loop free while it works', async () => {
    const progress = { isDone: false, turns: 0 };
    const work = testEmbeddings
      .resolve()
      .embed(Array.from({ length: 24 }, (_, i) => `Sentence number ${i}.`))
      .finally(() => (progress.isDone = true));

    // Each round is one turn of the event loop. If it were blocked, the work would be done after the first.
    while (!progress.isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      progress.turns += 1;
    }

    await work;
    expect(progress.turns).toBeGreaterThan(10);
  });

  it('accepts the handle of Letta’s own model', () => {
    expect(testEmbeddings.resolve('letta/letta-free').description.handle).toBe('perdure/use-lite');
  });

  it('rejects with the caller’s reason on abort', async () => {
    const reason = new Error('not needed any more');

    await expect(
      testEmbeddings.resolve().embed(['text'], { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });
});

describe('the thread of the local model', () => {
  it('restarts after it was closed', async () => {
    const answering =
      "import { parentPort, threadId } from 'node:worker_threads'; parentPort.on('message', ({ id }) => parentPort.postMessage({ id, vectors: [[threadId]] }));";
    const thread = createEmbeddingThread(new URL(`data:text/javascript,${encodeURIComponent(answering)}`));
    const before = await thread.embed(['before']);
    await thread.close();

    expect(await thread.embed(['again'])).not.toEqual(before);
    await thread.close();
  });

  it('fails its requests with a retryable error when it dies, and restarts', async () => {
    const dying =
      "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => process.exit(3));";
    const thread = createEmbeddingThread(new URL(`data:text/javascript,${encodeURIComponent(dying)}`));

    for (const text of ['first', 'second']) {
      await expect(thread.embed([text])).rejects.toMatchObject({
        type: 'Embedding.Unavailable',
        retryable: true,
      });
    }
  });

  it('passes on the model’s refusal', async () => {
    const refusing =
      "import { parentPort } from 'node:worker_threads'; parentPort.on('message', ({ id }) => parentPort.postMessage({ id, error: 'no' }));";
    const thread = createEmbeddingThread(new URL(`data:text/javascript,${encodeURIComponent(refusing)}`));

    await expect(thread.embed(['text'])).rejects.toMatchObject({
      type: 'Embedding.Refused',
      retryable: false,
      detail: 'no',
    });
    await thread.close();
  });
});

describe('the gate of the local model', () => {
  it('admits the smallest request first, one at a time, even after a failure [recall.query-first]', async () => {
    const gate = createGate();
    const begun: string[] = [];
    const open: (() => void)[] = [];
    const enter = (name: string, size: number) =>
      gate.run(size, () => {
        begun.push(name);
        return new Promise<void>((resolve, reject) => {
          const fail = (): void => {
            reject(new Error('unreadable'));
          };
          open.push(name === 'page 1' ? fail : resolve);
        });
      });
    const first = enter('page 1', 40);
    const others = [
      enter('page 2', 39),
      enter('archive', 200),
      enter('question', 1),
      enter('other question', 1),
    ];

    expect(begun).toEqual(['page 1']);
    open[0]!();
    await expect(first).rejects.toThrow('unreadable');
    for (let place = 1; place <= others.length; place += 1) {
      await waitFor(() => open[place], { timeoutMs: 5_000, everyMs: 1 });
      open[place]!();
    }
    await Promise.all(others);

    expect(begun).toEqual(['page 1', 'question', 'other question', 'page 2', 'archive']);
  });
});

describe('the pieces of a long text', () => {
  it('break at spaces, keep every word and are at most 16', () => {
    const text = Array.from({ length: 600 }, (_, i) => `word${i}`).join(' ');

    expect(cutIntoPieces(text).join(' ')).toBe(text);
    expect(cutIntoPieces('x'.repeat(50_000))).toHaveLength(16);
  });
});

describe('[memory.remote-embedding] provider embeddings', () => {
  const mock = new LLMock({ port: 0, logLevel: 'silent' });
  const remote = () => createEmbeddings({ openai: { baseUrl: `${mock.url}/v1` } });
  beforeAll(async () => {
    await mock.start();
  });
  afterAll(() => mock.stop());
  afterEach(() => {
    mock.reset();
  });

  it('keep the order of the texts, have length 1, and reveal the dimensions', async () => {
    mock.onEmbedding('north', { embedding: [0, 3, 4] });
    mock.onEmbedding('east', { embedding: [2, 0, 0] });
    const embedder = remote().resolve('openai/somebodys-model');
    expect(embedder.description.dimensions).toBe(0);

    expect(await embedder.embed(['north'])).toEqual([[0, 0.6, 0.8]]);
    expect(await embedder.embed(['east'])).toEqual([[1, 0, 0]]);

    expect(embedder.description).toMatchObject({ dimensions: 3, model: 'somebodys-model' });
    expect(mock.getLastRequest()!.body).toMatchObject({ model: 'somebodys-model' });
  });

  it('are requested in batches, with one vector per text', async () => {
    const texts = Array.from({ length: 150 }, (_, i) => `text ${i}`);

    const vectors = await remote().resolve('openai/text-embedding-3-small').embed(texts);

    expect(vectors).toHaveLength(150);
    expect(vectors.every((vector) => vector.length === 1536)).toBe(true);
    expect(mock.getRequests()).toHaveLength(3);
  });

  it('of long texts are requested in batches within OpenAI’s token limit', async () => {
    const texts = Array.from({ length: 50 }, (_, i) => `${i} ${'word '.repeat(1_600)}`);

    const vectors = await remote().resolve('openai/text-embedding-3-small').embed(texts);

    expect(vectors).toHaveLength(50);
    expect(mock.getRequests()).toHaveLength(2);
  });

  it.each([
    [429, 'Embedding.Unavailable', true, 1_000],
    [503, 'Embedding.Unavailable', true, undefined],
    [400, 'Embedding.Refused', false, undefined],
    [401, 'Embedding.Refused', false, undefined],
  ])(
    'fail after status %i with the fields that a retry needs',
    async (status, type, retryable, retryAfterMs) => {
      mock.nextRequestError(status, { message: 'no', type: 'any' });

      await expect(remote().resolve('openai/text-embedding-3-small').embed(['x'])).rejects.toMatchObject({
        type,
        retryable,
        status,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
    },
  );

  it('have known dimensions, and the local model never replaces them', () => {
    const config = { openai: { apiKey: 'key' } };

    expect(createEmbeddings(config).resolve('openai/text-embedding-3-large').description.dimensions).toBe(
      3072,
    );
    expect(() => createEmbeddings({}).resolve('openai/text-embedding-3-small')).toThrow(
      expect.objectContaining({
        type: 'Model.NotConfigured',
        retryable: false,
        message: expect.stringContaining('OPENAI_API_KEY') as unknown,
      }),
    );
    expect(() => createEmbeddings({}).resolve('elsewhere/model')).toThrow(/perdure\/use-lite is built in/);
  });

  it('are listed only for configured providers', () => {
    const handles = createEmbeddings({ openai: { apiKey: 'key' } })
      .list()
      .map(({ handle }) => handle);

    expect(handles).toEqual([
      'perdure/use-lite',
      'openai/text-embedding-3-small',
      'openai/text-embedding-3-large',
      'openai/text-embedding-ada-002',
    ]);
    expect(createEmbeddings({}, { defaultHandle: 'ollama/nomic' }).defaultHandle).toBe('ollama/nomic');
  });
});

function bestOf(question: readonly number[], known: readonly (readonly number[])[]): number {
  const scores = known.map((fact) => dot(question, fact));
  return scores.indexOf(Math.max(...scores));
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, place) => sum + value * (b[place] ?? 0), 0);
}
