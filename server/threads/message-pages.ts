import type { Message } from '../../core/threads/messages.js';
import type { Db } from '../../schema/db/database.js';
import { resultsOfSteps } from '../../schema/threads/messages.js';
import type { Page } from '../../schema/db/paging.js';
import type { WireMessage } from './message-shapes-wire.js';
import { siblingResults } from './messages-wire.js';

/** Rows per query while looking for messages that are shown. */
const stride = 200;

/**
 * How stored messages are read, and what is shown of each. A tool's result is shown with its `siblings`, which need
 * not be on the same page.
 */
interface ShownMessages {
  readonly read: (page: Page) => Promise<readonly Message[]>;
  readonly show: (message: Message, siblings: readonly Message[]) => readonly WireMessage[];
}

/**
 * A page of messages as they are shown. Some stored messages are not shown at all; a page with only such messages is
 * skipped, because clients stop iterating at an empty page. The result is empty only at the end of the list.
 */
export async function readShown(db: Db, asked: Page, { read, show }: ShownMessages): Promise<WireMessage[]> {
  const { limit, order } = asked;
  const isBackwards = asked.before !== undefined && asked.after === undefined;
  let page = asked;
  for (;;) {
    const rows = await read(page);
    const results = await resultsOfSteps(db, rows);
    const shown = rows
      .map((message) => show(message, siblingResults(message, results)))
      .filter((parts) => parts.length > 0);
    const near = isBackwards ? shown.slice(-(limit ?? 0)) : shown.slice(0, limit);
    const edge = isBackwards ? rows.at(0) : rows.at(-1);
    if (near.length > 0 || edge === undefined || limit === undefined) {
      return near.flatMap((parts) => (order === 'desc' ? [...parts].reverse() : parts));
    }
    page = { ...asked, limit: Math.max(limit, stride), [isBackwards ? 'before' : 'after']: edge.id };
  }
}

/**
 * A page of a thread's messages, oldest first, as Letta gives them: the thread's first messages for `order=asc`, else the
 * newest. Cursors go by time in both cases: older messages are `before`.
 */
export async function readOldestFirst(db: Db, asked: Page, messages: ShownMessages): Promise<WireMessage[]> {
  const isNewest = asked.order === 'desc' && asked.before === undefined && asked.after === undefined;
  if (isNewest) return (await readShown(db, asked, messages)).reverse();
  return readShown(db, { ...asked, order: 'asc' }, messages);
}
