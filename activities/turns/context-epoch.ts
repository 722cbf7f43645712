import type { Extensions } from '../../adapters/extensions/extensions.js';
import { derivedId } from '../../core/ids.js';
import type { MemoryFigures } from '../../core/threads/memory-figures.js';
import {
  haveOutgrown,
  nameAuthors,
  noticeOfChange,
  noticeOfFigures,
  noticeOfNewPrefix,
} from '../../core/threads/notices.js';
import { noticeOfPins } from '../../core/archives/pins.js';
import { toolsOffered } from '../../core/tools/offered-tools.js';
import type { Tx } from '../../schema/db/database.js';
import { fingerprintOf } from '../../schema/threads/epoch-fingerprint.js';
import {
  type AttachedBlock,
  attachedBlocks,
  countMemory,
  currentEpoch,
  type Epoch,
  markSeen,
  queueTellsOfBlocks,
  startEpoch,
  recordNotices,
} from '../../schema/threads/epochs.js';
import { listPins } from '../../schema/archives/pins.js';
import type { LoopAgent } from '../../schema/threads/loop-agent.js';
import { loadPromptSources } from '../../schema/threads/prompt-sources.js';
import { chosenExtension, compileFor } from '../extensions.js';
import { alsoWriting, extended, type GrowingQueue } from './growing-queue.js';
import { messageOf, type StepInput } from './step-input.js';

/** The thread's memory when its step begins. */
export interface FoundMemory {
  readonly epoch: Epoch | undefined;
  readonly blocks: readonly AttachedBlock[];
  /** Read once per turn, before its first step. */
  readonly figures: MemoryFigures | undefined;
}

/** Reads all that `ensureEpoch` needs, in one go. */
export async function findMemory(tx: Tx, input: StepInput): Promise<FoundMemory> {
  const thread = { id: input.threadId, agentId: input.agentId };
  const [epoch, blocks, figures] = await Promise.all([
    currentEpoch(tx, thread.id),
    attachedBlocks(tx, thread),
    input.index > 0 ? undefined : countMemory(tx, thread),
  ]);
  return { epoch, blocks, figures };
}

/** A step whose context is compiled. */
export interface EpochInput {
  readonly queue: GrowingQueue;
  readonly agent: LoopAgent;
  readonly input: StepInput;
  readonly memory: FoundMemory;
  readonly extensions: Extensions;
}

/**
 * The thread's context epoch. Within an epoch the prefix stays byte-identical, so that a provider's cache holds.
 * Others' changes of blocks are appended as notices; the agent's own are in its tools' results. A new epoch begins at
 * an eviction, when instructions, tools, rules or a block's own fields changed, and when the notices have outgrown
 * the blocks. Runs in the caller's transaction with the thread locked. Throws WorldFailure where the agent's
 * extension is missing or fails.
 */
export async function ensureEpoch(
  tx: Tx,
  step: EpochInput,
): Promise<{ readonly queue: GrowingQueue; readonly epoch: Epoch }> {
  const { agent, memory, extensions } = step;
  const fingerprint = fingerprintOf(agent, memory.blocks, chosenExtension(extensions, agent));
  if (memory.epoch?.fingerprint !== fingerprint) return renderEpoch(tx, step, fingerprint);
  const notices = [...noticesOf(step, memory.epoch), ...(await pinNotices(tx, step, memory.epoch))];
  const isTooMuch = haveOutgrown({
    told: memory.epoch.noticeCharacters,
    more: charactersOf(notices),
    blocks: memory.blocks.reduce((sum, block) => sum + block.size, 0),
  });
  if (isTooMuch) return renderEpoch(tx, step, fingerprint);
  return { queue: tell(tx, step, notices), epoch: memory.epoch };
}

/** A message to the agent in this step, beside its prefix. */
interface Notice {
  readonly id: string;
  readonly text: string;
}

function noticesOf({ agent, input, memory }: EpochInput, epoch: Epoch): readonly Notice[] {
  const changes = memory.blocks.flatMap(({ blockId, label, revision, change }): Notice[] => {
    // A change that was reverted needs no notice.
    if (change === null || change.value === change.seenValue) return [];
    const id = derivedId('message', input.turnId, input.index, 'notice', blockId, revision);
    const { value: after, seenValue: before, authors } = change;
    return [{ id, text: noticeOfChange({ label, before, after, by: nameAuthors(authors, agent.id) }) }];
  });
  const { figures } = memory;
  if (figures === undefined || figures.archivalPassages === epoch.figures.archivalPassages) return changes;
  const id = derivedId('message', input.turnId, input.index, 'figures', figures.archivalPassages);
  return [...changes, { id, text: noticeOfFigures(figures) }];
}

/** Passages that were pinned or unpinned other than by this thread's tools. Read once per turn. */
async function pinNotices(
  tx: Tx,
  { agent, input, memory }: EpochInput,
  epoch: Epoch,
): Promise<readonly Notice[]> {
  const { figures } = memory;
  if (figures === undefined) return [];
  const [known, now] = [new Set(epoch.figures.pinned), new Set(figures.pinned)];
  const unpinned = [...known].filter((passage) => !now.has(passage));
  const added = [...now].filter((passage) => !known.has(passage));
  if (unpinned.length + added.length === 0) return [];
  const pins = (await listPins(tx, agent.id)).filter((pin) => added.includes(pin.id));
  const id = derivedId('message', input.turnId, input.index, 'pins');
  return [{ id, text: noticeOfPins(pins, unpinned) }];
}

function charactersOf(notices: readonly Notice[]): number {
  return notices.reduce((sum, notice) => sum + notice.text.length, 0);
}

function tell(tx: Tx, step: EpochInput, notices: readonly Notice[]): GrowingQueue {
  const { queue, memory } = step;
  const { epoch } = memory;
  const news = memory.blocks.filter((block) => block.change !== null);
  const seen = news.length === 0 ? queue : alsoWriting(queue, markSeen(tx, queue.thread.id, news));
  if (notices.length === 0 || epoch === undefined) return seen;
  const told = recordNotices(tx, epoch.id, {
    figures: memory.figures ?? epoch.figures,
    noticeCharacters: epoch.noticeCharacters + charactersOf(notices),
  });
  return withNotices(tx, alsoWriting(seen, told), step.input, notices);
}

function withNotices(
  tx: Tx,
  queue: GrowingQueue,
  input: StepInput,
  notices: readonly Notice[],
): GrowingQueue {
  const messages = notices.map(({ id, text }) => messageOf(input, id, { kind: 'notice', text }));
  return extended(tx, queue, messages);
}

async function renderEpoch(
  tx: Tx,
  { queue, agent, input, extensions }: EpochInput,
  fingerprint: string,
): Promise<{ readonly queue: GrowingQueue; readonly epoch: Epoch }> {
  const { thread } = queue;
  const [prefix, isOutdated] = await Promise.all([
    loadPromptSources(tx, thread, agent),
    queueTellsOfBlocks(tx, thread),
  ]);
  const epoch: Epoch = {
    id: derivedId('epoch', input.turnId, input.index, thread.nextPosition, fingerprint),
    prefix: await compileFor(extensions, agent, { ...prefix, compiledAt: new Date() }),
    tools: toolsOffered(agent),
    fingerprint,
    figures: prefix.figures,
    noticeCharacters: 0,
  };
  await startEpoch(tx, thread.id, epoch, prefix.blocks);
  const inEpoch = { ...queue, thread: { ...thread, epochId: epoch.id } };
  if (!isOutdated) return { queue: inEpoch, epoch };
  const notice = { id: derivedId('message', epoch.id, 'new prefix'), text: noticeOfNewPrefix };
  return { queue: withNotices(tx, inEpoch, input, [notice]), epoch };
}
