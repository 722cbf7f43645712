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
import { aMessage, anAgent, openTestDatabase, type OpenedDatabase } from '../given.js';

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

  it('finds what was said, not what tools returned, searches asked or the runtime added', async () => {
    expect((await positions({ query: 'boats' })).sort()).toEqual([1, 2, 5]);
  });

  it('narrows by role and by date, both included', async () => {
    expect(await positions({ query: 'boat', roles: ['assistant'] })).toEqual([2]);
    expect(await positions({ query: 'boat', roles: ['user', 'system'], from: day(5) })).toEqual([5]);
    expect(await positions({ query: 'boat', to: day(1) })).toEqual([1]);
  });

  it('goes by date alone where there is no query, the newest first', async () => {
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

  it('puts what waits for its vector where its words put it, among those that have one [recall.unindexed]', async () => {
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
});
