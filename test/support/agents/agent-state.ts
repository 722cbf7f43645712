import { listAgentBlocks } from '../../../schema/blocks/agent-blocks.js';
import type { Db } from '../../../schema/db/database.js';
import { readSummary } from '../../../schema/threads/evictions.js';
import { listMessages } from '../../../schema/threads/messages.js';
import { listPassages } from '../../../schema/archives/passages.js';
import { readThread } from '../../../schema/threads/threads.js';

/** All that an agent remembers, without ids and times, which a copy has its own of. */
export interface AgentState {
  readonly blocks: readonly (readonly [label: string, value: string])[];
  readonly passages: readonly string[];
  /** Up to the last answer or result: what is told before a step belongs to that step. */
  readonly transcript: readonly string[];
  readonly queueStart: number;
  readonly summary: string;
}

export async function stateOf(db: Db, agentId: string): Promise<AgentState> {
  const thread = (await readThread(db, agentId))!;
  const messages = await listMessages(db, { threadId: agentId }, { order: 'asc' });
  const end = messages.findLastIndex(({ body }) => body.kind === 'assistant' || body.kind === 'tool');
  const passages = await listPassages(db, { agentId }, {});
  return {
    blocks: (await listAgentBlocks(db, agentId)).map(({ label, value }) => [label, value] as const),
    passages: passages.map((passage) => passage.text).sort(),
    transcript: messages.slice(0, end + 1).map((message) => JSON.stringify(message.body)),
    queueStart: thread.queueStart,
    summary: await readSummary(db, thread),
  };
}
