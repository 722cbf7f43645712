import { randomUUID } from 'node:crypto';
import type { Agent } from '../../../core/agents/agents.js';
import type { Db } from '../../../schema/db/database.js';
import { lockThread } from '../../../schema/threads/threads.js';
import { appendToTranscript } from '../../../schema/threads/transcript.js';
import { runCanary } from '../runtime/canary.js';

/** Puts messages of a user at the end of an agent's transcript, as if they had been spoken a minute apart. */
export async function giveAPast(
  db: Db,
  agent: Agent,
  count: number,
  text: (index: number) => string,
): Promise<void> {
  const said = Array.from({ length: count }, (_, index) => `${text(index)} ${runCanary()}`);
  await placePast(db, agent.id, said);
}

/** Like `giveAPast`, with just these words. */
export async function placePast(db: Db, agentId: string, said: readonly string[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const thread = await lockThread(tx, agentId);
    if (thread === undefined) throw new Error(`No thread ${agentId}.`);
    const messages = said.map((text, index) => ({
      id: `message-${randomUUID()}`,
      agentId,
      threadId: agentId,
      turnId: null,
      stepId: null,
      position: null,
      createdAt: new Date(Date.UTC(2026, 0, 1, 0, index)),
      otid: null,
      senderId: null,
      body: {
        kind: 'user' as const,
        content: [{ type: 'text' as const, text }],
      },
    }));
    await appendToTranscript(tx, thread, messages);
  });
}
