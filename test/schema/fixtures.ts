import { randomUUID } from 'node:crypto';
import type { Agent } from '../../core/agents/agents.js';
import type { Message, MessageBody } from '../../core/threads/messages.js';
import { createAgent, type NewAgent } from '../../schema/agents/creation.js';
import { type Db, openDatabase } from '../../schema/db/database.js';
import { createTestDatabase } from '../support/runtime/postgres.js';

/** The open database of one test file. */
export interface OpenedDatabase {
  readonly db: Db;
  readonly url: string;
  readonly adminUrl: string;
  close(): Promise<void>;
}

export async function openTestDatabase(connections = 10): Promise<OpenedDatabase> {
  const created = await createTestDatabase();
  const database = openDatabase(created.url, { connections });
  return {
    db: database.db,
    url: created.url,
    adminUrl: created.adminUrl,
    close: async () => {
      await database.close();
      await created.drop();
    },
  };
}

export function anAgent(db: Db, input: Partial<NewAgent> = {}): Promise<Agent> {
  return createAgent(db, {
    name: 'Ada',
    agentType: 'memgpt_agent',
    system: 'You remember.',
    model: 'test/model',
    embedding: 'test/embedding',
    ...input,
  });
}

/** A user's message in the agent's default thread. */
export function aMessage(
  input: Omit<Partial<Message>, 'body'> & { agentId: string; text?: string; body?: MessageBody },
): Message {
  const { text = 'Hello.', ...rest } = input;
  return {
    id: `message-${randomUUID()}`,
    threadId: input.agentId,
    turnId: null,
    stepId: null,
    position: null,
    createdAt: new Date('2026-01-01T00:00:00Z'),
    otid: null,
    senderId: null,
    body: { kind: 'user', content: [{ type: 'text', text }] },
    ...rest,
  };
}

/** The error that a promise is rejected with; throws when it is fulfilled. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`Expected a rejection, got ${JSON.stringify(value)}`);
}
