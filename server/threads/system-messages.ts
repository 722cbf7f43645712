import { withoutClientSkills } from '../../core/agents/client-skills.js';
import type { Message } from '../../core/threads/messages.js';
import { getAgent } from '../../schema/agents/agents.js';
import type { Page } from '../../schema/db/paging.js';
import { threadBegin } from '../../schema/threads/threads.js';
import { PromptUnknownError, readContext } from './context-overview.js';
import type { ServerDeps } from '../deps.js';

interface NamedThread {
  readonly agentId: string;
  readonly threadId: string;
}

/**
 * The id of a thread's system message, which has the thread's own UUID. Letta's clients see it as the thread's first
 * message; it is not a row, because the prompt belongs to the thread's epoch.
 */
export function systemMessageId(threadId: string): string {
  return `message-${threadId.slice(threadId.indexOf('-') + 1)}`;
}

/** The system message with this id; undefined where no thread has it. */
export async function findSystemMessage(deps: ServerDeps, messageId: string): Promise<Message | undefined> {
  const uuid = messageId.slice('message-'.length);
  const begin = (await threadBegin(deps.db, `conv-${uuid}`)) ?? (await threadBegin(deps.db, `agent-${uuid}`));
  return begin === undefined ? undefined : toMessage(deps, begin);
}

/**
 * Pages of a thread's messages with its system message in front. `read` reads pages without it. A cursor may be the id of
 * the system message.
 */
export function withSystemMessage(
  deps: ServerDeps,
  thread: NamedThread,
  read: (page: Page) => Promise<readonly Message[]>,
): (page: Page) => Promise<readonly Message[]> {
  const systemId = systemMessageId(thread.threadId);
  const theMessage = async (): Promise<readonly Message[]> => {
    const begin = await threadBegin(deps.db, thread.threadId);
    return begin === undefined ? [] : [await toMessage(deps, begin)];
  };
  /** With the system message in front, where the page has room for it. */
  const completed = async (rows: readonly Message[], limit: number | undefined) =>
    rows.length < (limit ?? Infinity) ? [...(await theMessage()), ...rows] : rows;

  return async (page) => {
    const { before, after, limit } = page;
    // The older and the newer cursor: in a descending list `after` is the older one.
    const [older, newer] = page.order === 'desc' ? [after, before] : [before, after];
    const isOf = (cursor: string | undefined) => cursor === systemId;
    if (isOf(older)) return [];
    if (page.order === 'desc') {
      if (isOf(newer)) return [...(await read({ order: 'asc', limit }))].reverse();
      const rows = await read(page);
      return newer === undefined ? [...(await completed([...rows].reverse(), limit))].reverse() : rows;
    }
    if (isOf(newer)) return read({ order: 'asc', limit });
    if (newer !== undefined) return read(page);
    if (older !== undefined) return completed(await read(page), limit);
    const [first] = await theMessage();
    const rest = limit === undefined ? undefined : limit - 1;
    if (first === undefined || rest === 0) return first === undefined ? [] : [first];
    return [first, ...(await read({ ...page, limit: rest }))];
  };
}

async function toMessage(
  deps: ServerDeps,
  thread: NamedThread & { readonly createdAt: Date },
): Promise<Message> {
  return {
    id: systemMessageId(thread.threadId),
    agentId: thread.agentId,
    threadId: thread.threadId,
    turnId: null,
    stepId: null,
    position: 0,
    createdAt: thread.createdAt,
    otid: null,
    senderId: null,
    body: { kind: 'system', content: [{ type: 'text', text: await promptOf(deps, thread) }] },
  };
}

/** The prompt of the thread's model, without the skills that one request brought. Where only a worker can compile it: the instructions alone. */
async function promptOf(deps: ServerDeps, thread: NamedThread): Promise<string> {
  try {
    return withoutClientSkills((await readContext(deps, thread)).prefix);
  } catch (error) {
    if (!(error instanceof PromptUnknownError)) throw error;
    return (await getAgent(deps.db, thread.agentId))?.system ?? '';
  }
}
