import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MessageBody } from '../../../core/threads/messages.js';
import {
  countMessages,
  getMessages,
  insertMessages,
  listMessages,
  loadQueue,
} from '../../../schema/threads/messages.js';
import { aMessage, anAgent, openTestDatabase, type OpenedDatabase } from '../fixtures.js';

describe('messages', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  it('are returned as they were stored, in the requested order', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    const bodies: MessageBody[] = [
      {
        kind: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'image', url: 'data:x' },
        ],
        name: 'Sam',
      },
      {
        kind: 'assistant',
        text: '',
        reasoning: 'hm',
        nativeReasoning: false,
        toolCalls: [{ id: 'c', name: 'send_message', arguments: '{"message":"Hi"}' }],
      },
      { kind: 'tool', toolCallId: 'c', toolName: 'send_message', status: 'success', content: 'Sent.' },
      { kind: 'heartbeat', reason: 'You asked for it.' },
      { kind: 'notice', text: 'Block changed.' },
      { kind: 'system', content: [{ type: 'text', text: 'Login.' }] },
    ];
    const messages = bodies.map((body, index) =>
      aMessage({
        agentId: agent.id,
        body,
        position: index + 1,
        turnId: 'run-1',
        stepId: 'step-1',
        otid: `o${index}`,
      }),
    );
    await insertMessages(db, messages);

    const ids = [...messages].reverse().map((message) => message.id);
    expect(await getMessages(db, [...ids, 'message-none'])).toEqual([...messages].reverse());
    expect(await listMessages(db, { threadId: agent.id }, {})).toEqual(messages);
  });

  it('stay unchanged when they are inserted again', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    const message = aMessage({ agentId: agent.id, text: 'first', position: 1 });
    await insertMessages(db, [message]);

    await insertMessages(db, [{ ...message, position: 2, body: { kind: 'notice', text: 'second' } }]);

    expect(await getMessages(db, [message.id])).toEqual([message]);
  });

  it('never take the position of another one silently', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    await insertMessages(db, [aMessage({ agentId: agent.id, position: 1 })]);

    const again = insertMessages(db, [aMessage({ agentId: agent.id, position: 1 })]);

    await expect(again).rejects.toMatchObject({ code: '23505', constraint: 'messages_by_position' });
  });

  it('are listed once they have a position, and filtered', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    const placed = aMessage({ agentId: agent.id, position: 1, turnId: 'run-2', stepId: 'step-2' });
    const notice = aMessage({ agentId: agent.id, position: 2, body: { kind: 'notice', text: 'x' } });
    await insertMessages(db, [placed, notice, aMessage({ agentId: agent.id })]);

    expect(await listMessages(db, { agentId: agent.id }, {})).toEqual([placed, notice]);
    expect(await listMessages(db, { agentId: agent.id, kinds: ['notice'] }, {})).toEqual([notice]);
    expect(await listMessages(db, { turnId: 'run-2' }, {})).toEqual([placed]);
    expect(await listMessages(db, { stepId: 'step-2' }, {})).toEqual([placed]);
    expect(await countMessages(db, { agentId: agent.id })).toBe(2);
  });

  it('are in the queue from its start on', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    const messages = [3, 1, 2].map((position) => aMessage({ agentId: agent.id, position }));
    await insertMessages(db, [...messages, aMessage({ agentId: agent.id })]);
    await db.updateTable('threads').set({ queue_start: 2 }).where('id', '=', agent.id).execute();

    const queue = await loadQueue(db, agent.id);

    expect(queue.map((message) => message.position)).toEqual([2, 3]);
  });

  it('can hold characters that Postgres would refuse, and data of any size', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    const base64 = `${'A1b2'.repeat(50_000)} ${'9'.repeat(3_000)}`;
    const messages = ['nul \0, half \uD83D', base64].map((text, index) =>
      aMessage({ agentId: agent.id, text, position: index + 1 }),
    );

    await insertMessages(db, messages);

    const [odd, large] = await loadQueue(db, agent.id);
    expect(odd?.body).toMatchObject({ content: [{ text: 'nul \uFFFD, half \uFFFD' }] });
    expect(large).toEqual(messages[1]);
  });
});
