import { sql } from 'kysely';
import type { Agent } from '../../core/agents/agents.js';
import { type Group, refinementSettings } from '../../core/groups/groups.js';
import { derivedId } from '../../core/ids.js';
import { documentTask, inputTokens, transcriptTask } from '../../core/refinement/refinement.js';
import { transcriptText } from '../../core/threads/prompts.js';
import { attachBlock, listAgentBlocks } from '../blocks/agent-blocks.js';
import { getAgent } from '../agents/agents.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { enqueueTurn } from '../turns/deliveries.js';
import { listGroups } from '../groups/groups.js';
import { loadRange } from '../threads/messages.js';
import type { DocumentPart } from './tables.js';
import { oldestRequest, type RefinementRequest, settleRequest } from './requests.js';
import { type Refinement, roundTurnId, runningRefinement } from './refinements.js';
import { toJson } from '../db/storable.js';
import { lockThread, type Thread } from '../threads/threads.js';
import { moveWatermark, type Unread, unreadRanges } from '../threads/watermarks.js';

/** The refinement that a partner works on, with its turn stored. */
export type Opened = Pick<Refinement, 'id' | 'round'>;

interface Opening {
  readonly partner: Agent;
  readonly thread: Thread;
  readonly agent: Agent;
  readonly group: Group;
  readonly request: RefinementRequest;
  readonly refinementId: string;
  /** Tokens of the partner's context window. */
  readonly window: number;
}

/**
 * Opens the partner's next refinement: fixes what it reads and stores its turn, in one transaction. A running
 * refinement is returned instead. Undefined where there is no work.
 */
export async function openRefinement(
  db: Db,
  input: { readonly partnerId: string; readonly refinementId: string; readonly window: number },
): Promise<Opened | undefined> {
  return inTransaction(db, async (tx) => {
    const thread = await lockThread(tx, input.partnerId);
    const partner = await getAgent(tx, input.partnerId);
    if (thread === undefined || partner === undefined) return undefined;
    const running = await runningRefinement(tx, partner.id);
    if (running !== undefined) return running;
    for (;;) {
      const request = await oldestRequest(tx, partner.id);
      if (request === undefined) return undefined;
      const found = await findSubject(tx, request);
      if (found === undefined) {
        await settleRequest(tx, request.id, { state: 'failed' });
        continue;
      }
      const { refinementId, window } = input;
      const opening = { ...found, partner, thread, request, refinementId, window };
      const isOpen =
        request.parts === null
          ? await openTranscript(tx, opening)
          : await openPart(tx, opening, request.parts);
      if (isOpen) return { id: refinementId, round: 0 };
    }
  });
}

async function findSubject(
  tx: Tx,
  request: RefinementRequest,
): Promise<{ agent: Agent; group: Group } | undefined> {
  const [group] = (await listGroups(tx, { agentId: request.partnerId }, {})).filter(
    ({ id }) => id === request.groupId,
  );
  const agent = group?.managerAgentId == null ? undefined : await getAgent(tx, group.managerAgentId);
  return group === undefined || agent === undefined ? undefined : { agent, group };
}

/** Returns false where there are no new messages since the watermark. */
async function openTranscript(tx: Tx, opening: Opening): Promise<boolean> {
  const { agent, partner, group, request, refinementId, window } = opening;
  const { maxTokens } = refinementSettings(group.managerConfig);
  const tokens = inputTokens({ window, maxTokens });
  const ranges = await unreadRanges(tx, { partnerId: partner.id, agentId: agent.id, tokens });
  await settleRequest(tx, request.id, { state: 'done' });
  const conversations = await Promise.all(ranges.map((range) => toConversation(tx, agent, range)));
  if (conversations.every(({ transcript }) => transcript.trim() === '')) {
    for (const { threadId, to } of ranges)
      await moveWatermark(tx, { partnerId: partner.id, threadId, position: to });
    return false;
  }
  const { instructions } = request;
  await open(tx, opening, transcriptTask({ agentName: agent.name, conversations, instructions }));
  const rows = ranges.map(({ threadId, from, to }) => ({
    refinement_id: refinementId,
    thread_id: threadId,
    from_position: from,
    to_position: to,
  }));
  await tx.insertInto('refinement_ranges').values(rows).execute();
  return true;
}

async function toConversation(tx: Tx, agent: Agent, range: Unread) {
  const messages = await loadRange(tx, range.threadId, range);
  return {
    name: range.isDefault ? null : range.threadId,
    transcript: transcriptText(messages, agent.timezone),
  };
}

/** Returns false where all parts were processed as often as requested. */
async function openPart(tx: Tx, opening: Opening, parts: readonly DocumentPart[]): Promise<boolean> {
  const { agent, request } = opening;
  const { partsDone, cycles, instructions } = request;
  const document = parts[partsDone % parts.length];
  if (document === undefined || partsDone >= parts.length * cycles) {
    await settleRequest(tx, request.id, { state: 'done' });
    return false;
  }
  const cycle = Math.floor(partsDone / parts.length) + 1;
  const { part, parts: total } = document;
  const task = { agentName: agent.name, document, part, parts: total, cycle, cycles, instructions };
  await open(tx, opening, documentTask(task));
  return true;
}

async function open(tx: Tx, opening: Opening, task: string): Promise<void> {
  const { partner, agent, group, request, refinementId, thread } = opening;
  const settings = refinementSettings(group.managerConfig);
  await tx
    .insertInto('refinements')
    .values({
      id: refinementId,
      group_id: group.id,
      partner_id: partner.id,
      agent_id: agent.id,
      request_id: request.id,
      cause: request.cause,
      state: 'running',
      settings: toJson(settings),
    })
    .execute();
  await shareBlocks(tx, agent.id, partner.id);
  await beginAfresh(tx, thread);
  await enqueueRound(tx, {
    refinementId,
    partnerId: partner.id,
    round: 0,
    maxSteps: settings.maxSteps,
    task,
  });
}

// Also attaches blocks that the agent got after its partner was created.
async function shareBlocks(tx: Tx, agentId: string, partnerId: string): Promise<void> {
  const own = await listAgentBlocks(tx, partnerId);
  const labels = new Set(own.map(({ label }) => label));
  for (const { id, label } of await listAgentBlocks(tx, agentId)) {
    if (!labels.has(label)) await attachBlock(tx, { agentId: partnerId, blockId: id });
  }
}

/**
 * The partner starts with an empty message queue and a new epoch: all it needs is in the blocks, and a refinement's
 * cost doesn't grow with their number. Not while a turn of the thread runs, which uses that context.
 */
async function beginAfresh(tx: Tx, thread: Thread): Promise<void> {
  await sql`
    update threads set queue_start = next_position, epoch_id = null
    where id = ${thread.id} and not exists (
      select from turns where turns.thread_id = threads.id and turns.state = 'running')`.execute(tx);
}

/** Stores the partner's turn of a round, once. */
export async function enqueueRound(
  tx: Tx,
  input: {
    readonly refinementId: string;
    readonly partnerId: string;
    readonly round: number;
    readonly maxSteps: number;
    readonly task: string;
  },
): Promise<void> {
  const { refinementId, round, partnerId, task, maxSteps } = input;
  await enqueueTurn(tx, {
    turnId: roundTurnId(refinementId, round),
    deliveryId: derivedId('delivery', refinementId, round),
    threadId: partnerId,
    kind: 'sleep_time',
    messages: [
      {
        id: derivedId('message', refinementId, round),
        createdAt: new Date(),
        otid: null,
        senderId: null,
        body: { kind: 'user', content: [{ type: 'text', text: task }] },
      },
    ],
    options: { maxSteps, background: true, refinement: refinementId },
    requestKey: `${refinementId}-${round}`,
    requestHash: null,
    joinWithinMs: 0,
    steer: false,
  });
}
