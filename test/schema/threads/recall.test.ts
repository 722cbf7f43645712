import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MessageBody } from '../../../core/threads/messages.js';
import { insertMessages } from '../../../schema/threads/messages.js';
import { openVectors } from '../../../schema/archives/open-vectors.js';
import {
  messagesWithoutEmbedding,
  type RecallSearch,
  saveEmbeddings,
  searchMessages,
} from '../../../schema/threads/recall.js';
import type { Vectors } from '../../../schema/archives/vectors.js';
import { aMessage, anAgent, openTestDatabase, type OpenedDatabase } from '../fixtures.js';

const model = 'test/embedding';
const day = (date: number) => new Date(Date.UTC(2026, 0, date));

function calling(name: string, args: string): MessageBody {
  return {
    kind: 'assistant',
    text: '',
    reasoning: '',
    nativeReasoning: false,
    toolCalls: [{ id: 'call-1', name, arguments: args }],
  };
}

const bodies: readonly MessageBody[] = [
  { kind: 'user', content: [{ type: 'text', text: 'My boat is called Aurora.' }] },
  calling('send_message', '{"message":"A boat named Aurora, how nice."}'),
  { kind: 'tool', toolCallId: 'call-1', toolName: 'send_message', status: 'success', content: 'boat sent' },
  { kind: 'heartbeat', reason: 'boat heartbeat' },
  { kind: 'system', content: [{ type: 'text', text: 'The boat alarm rang.' }] },
  calling('conversation_search', '{"query":"boat Aurora"}'),
  calling('archival_memory_search', '{"query":"boat Aurora"}'),
  { kind: 'user', content: [{ type: 'text', text: 'Order 7f3e-AB12 arrived.' }] },
];

describe('recall', () => {
  let database: OpenedDatabase;
  let vectors: Vectors;
  let agentId: string;
  beforeAll(async () => {
    database = await openTestDatabase();
    vectors = await openVectors(database.db);
    await vectors.prepare(database.db, 'messages', 2);
    agentId = (await anAgent(database.db)).id;
    await insertMessages(database.db, [
      ...bodies.map((body, index) =>
        aMessage({ agentId, body, position: index + 1, createdAt: day(index + 1) }),
      ),
      aMessage({ agentId, text: 'A boat that waits.' }),
    ]);
  });
  afterAll(() => database.close());

  async function positions(search: Partial<RecallSearch>) {
    const found = await searchMessages(database.db, vectors, { agentId, query: '', limit: 10, ...search });
    return found.map((result) => result.message.position);
  }

  it('finds spoken messages, not tool results, search queries or the runtime’s messages', async () => {
    expect((await positions({ query: 'boats' })).sort()).toEqual([1, 2, 5]);
  });

  it('filters by role and by inclusive dates', async () => {
    expect(await positions({ query: 'boat', roles: ['assistant'] })).toEqual([2]);
    expect(await positions({ query: 'boat', roles: ['user', 'system'], from: day(5) })).toEqual([5]);
    expect(await positions({ query: 'boat', to: day(1) })).toEqual([1]);
  });

  it('filters by date alone without a query, newest first', async () => {
    expect(await positions({ from: day(2), to: day(6) })).toEqual([5, 2]);
    expect(await positions({ limit: 1 })).toEqual([8]);
  });

  it('finds identifiers first', async () => {
    expect((await positions({ query: 'Did boat order 7F3E-ab12 arrive?' }))[0]).toBe(8);
  });

  it('finds by meaning once messages have their embeddings', async () => {
    const { db } = database;
    const waiting = await messagesWithoutEmbedding(db, { agentId, model, limit: 10 });
    expect(waiting.map((message) => message.text)).toEqual([
      'Order 7f3e-AB12 arrived.',
      'The boat alarm rang.',
      'send_message {"message":"A boat named Aurora, how nice."}',
      'My boat is called Aurora.',
    ]);

    await saveEmbeddings(
      db,
      model,
      waiting.map(({ id }, index) => ({ id, vector: [1, index] })),
    );

    expect(await messagesWithoutEmbedding(db, { agentId, model, limit: 10 })).toEqual([]);
    expect(await messagesWithoutEmbedding(db, { agentId, model: 'other/model', limit: 1 })).toHaveLength(1);
    expect(await positions({ embedding: { model, vector: [1, 0] } })).toEqual([8, 5, 2, 1]);
    expect(await positions({ embedding: { model: 'other/model', vector: [1, 0] } })).toEqual([]);
  });

  it('ranks a message without a vector by its words, among those with vectors [recall.unindexed]', async () => {
    const { db } = database;
    const talker = await anAgent(db);
    const texts = ['The code of locker Mira is forty.'].concat(
      Array.from(
        { length: 60 },
        (_, other) => `The code of locker ${'abcdefgh'[other % 8]!.repeat(5)} is ${other}.`,
      ),
    );
    const messages = texts.map((text, index) =>
      aMessage({ agentId: talker.id, text, position: index + 1, createdAt: day(1) }),
    );
    await insertMessages(db, messages);
    const embedded = messages.slice(1).map(({ id }, index) => ({ id, vector: [1, index / 100] }));
    await saveEmbeddings(db, model, embedded);

    const [first] = await searchMessages(db, vectors, {
      ...{ agentId: talker.id, query: 'code of locker Mira', embedding: { model, vector: [1, 0] }, limit: 5 },
    });

    expect(first?.message.id).toBe(messages[0]!.id);
  });

  describe('of a long conversation with short questions and facts in long texts', () => {
    const items = 40;
    const name = (item: number) =>
      `${'bdfgklmnprstvz'[item % 14]!}o${'bdfgklmnprstvz'[Math.floor(item / 14)]!}ana`;
    const chatter = (seed: number) =>
      Array.from(
        { length: 80 },
        (_, place) => 'sea pier gull rain stone wind'.split(' ')[(seed + place * place) % 6],
      );
    const fact = (item: number) =>
      `Please remember: the code of locker ${name(item)} is ${1000 + item}. ${chatter(item).join(' ')}`;
    let talker: string;
    let ids: string[];

    beforeAll(async () => {
      const { db } = database;
      talker = (await anAgent(db)).id;
      const all = Array.from({ length: items }, (_, item) => item);
      const texts = [
        ...all.map(fact),
        ...all.map((item) => chatter(item).join(' ')),
        // Each other fact was asked for before, and by meaning these questions rank first.
        ...all.slice(1).map((item) => `Which code has locker ${name(item)}?`),
      ];
      const messages = texts.map((text, index) =>
        aMessage({ agentId: talker, text, position: index + 1, createdAt: day(index + 1) }),
      );
      await insertMessages(db, messages);
      ids = messages.map(({ id }) => id);
    });

    /** The place of the fact among the results: 1 is the first. */
    async function placeOf(item: number, query: string, limit = 5) {
      const found = await searchMessages(database.db, vectors, {
        ...{ agentId: talker, query, limit, embedding: { model, vector: [1, 0] } },
      });
      return found.findIndex(({ message }) => message.id === ids[item]) + 1;
    }

    it.each([
      ['no message has its vector yet', 0],
      ['half of the messages have their vectors', 60],
      ['all messages have their vectors', 3 * items - 1],
    ])('finds the fact by its rare word when %s [recall.rare-words]', async (_, embedded) => {
      const near = ids.map((id, index) => ({ id, vector: [1, index >= 2 * items ? index / 10_000 : 10] }));
      await saveEmbeddings(database.db, model, near.slice(near.length - embedded));

      const first = await Promise.all(
        [0, 7, 23].map((item) => placeOf(item, `code of locker ${name(item)}`)),
      );
      const wordy = await placeOf(0, `the code that the user mentioned for locker ${name(0)}`);

      expect(first.every((place) => place >= 1 && place <= 2)).toBe(true);
      expect(wordy).toBeGreaterThanOrEqual(1);
    });
  });

  it('omits the question of the searching turn, but not what the agent said in it [recall.own-question]', async () => {
    const { db } = database;
    const asker = (await anAgent(db)).id;
    const said = calling('send_message', '{"message":"The boat is in the harbour."}');
    await insertMessages(db, [
      aMessage({ agentId: asker, text: 'The boat is red.', turnId: 'run-1', position: 1 }),
      aMessage({ agentId: asker, text: 'Which boat is red?', turnId: 'run-2', position: 2 }),
      aMessage({ agentId: asker, body: said, turnId: 'run-2', stepId: 'step-1', position: 3 }),
    ]);
    const ask = (searchingTurn?: string) =>
      positions({ agentId: asker, query: 'boat', limit: 10, searchingTurn }).then((found) => found.sort());

    expect(await ask()).toEqual([1, 2, 3]);
    expect(await ask('run-2')).toEqual([1, 3]);
    expect(await ask('run-3')).toEqual([1, 2, 3]);
  });
});
