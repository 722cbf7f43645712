import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Agent } from '../../../core/agents/agents.js';
import type { MessageBody } from '../../../core/threads/messages.js';
import {
  attachBlock,
  detachBlock,
  getAgentBlock,
  listAgentBlocks,
} from '../../../schema/blocks/agent-blocks.js';
import { forkAgent } from '../../../schema/past/forks.js';
import { purgeAgent } from '../../../schema/agents/purge.js';
import { deleteAgent } from '../../../schema/agents/agents.js';
import { agentArchive } from '../../../schema/archives/archives.js';
import { changeBlock } from '../../../schema/blocks/changes.js';
import { createBlock, updateBlockFields } from '../../../schema/blocks/blocks.js';
import { createConversation, listConversations } from '../../../schema/threads/conversations.js';
import type { Db } from '../../../schema/db/database.js';
import { listMessages } from '../../../schema/threads/messages.js';
import type { MomentName } from '../../../schema/past/moments.js';
import { deletePassage, insertPassages, listPassages } from '../../../schema/archives/passages.js';
import { listPins, pinPassage, unpinPassage } from '../../../schema/archives/pins.js';
import { lockThread } from '../../../schema/threads/threads.js';
import { appendToTranscript } from '../../../schema/threads/transcript.js';
import { waitFor } from '../../../stack/waiting.js';
import { type AgentState, stateOf } from '../../support/agents/agent-state.js';
import { aMessage, anAgent, openTestDatabase, type OpenedDatabase, rejection } from '../fixtures.js';
import { testVault } from '../../support/runtime/vault.js';

describe('a fork', () => {
  let database: OpenedDatabase;
  let db: Db;
  beforeAll(async () => {
    database = await openTestDatabase();
    ({ db } = database);
  });
  afterAll(() => database.close());

  const say = async (agent: Agent, body?: MessageBody, threadId = agent.id): Promise<string> => {
    const message = aMessage({ agentId: agent.id, threadId, ...(body === undefined ? {} : { body }) });
    await db.transaction().execute(async (tx) => {
      const thread = (await lockThread(tx, threadId))!;
      await appendToTranscript(tx, thread, [message]);
    });
    return message.id;
  };

  const answer = (...calls: string[]): MessageBody => ({
    ...{ kind: 'assistant', text: 'Aye.', reasoning: '', nativeReasoning: false },
    toolCalls: calls.map((id) => ({ id, name: 'send_message', arguments: '{}' })),
  });

  const result = (toolCallId: string): MessageBody => ({
    ...{ kind: 'tool', toolCallId, toolName: 'send_message', status: 'success', content: 'ok' },
  });

  const anAgentWithMemory = () => anAgent(db, { blocks: [{ label: 'human', value: 'Sid' }] });

  const forkOf = async (agent: Agent, moment: MomentName): Promise<AgentState & { agent: Agent }> => {
    const fork = await forkAgent(db, testVault, { agentId: agent.id, moment });
    return { agent: fork, ...(await stateOf(db, fork.id)) };
  };

  const kindsOf = async (agent: Agent) =>
    (await listMessages(db, { threadId: agent.id }, { order: 'asc' })).map((message) => message.body.kind);

  it('has the passages that were later deleted or changed, as they were [fork.as-of]', async () => {
    const agent = await anAgentWithMemory();
    const [kept, changed, dropped] = await insertPassages(db, agent.id, [
      { text: 'kept' },
      { text: 'before', tags: ['t'] },
      {
        text: 'dropped',
        createdAt: new Date('2024-01-01T00:00:00Z'),
        embedding: { vector: [1, 2], model: 'm' },
      },
    ]);
    const messageId = await say(agent);
    await deletePassage(db, agent.id, dropped!.id);
    await db.updateTable('passages').set({ words: 'after' }).where('id', '=', changed!.id).execute();
    await insertPassages(db, agent.id, [{ text: 'later' }]);

    const { agent: fork } = await forkOf(agent, { kind: 'message', messageId });

    const passages = await listPassages(db, { agentId: fork.id }, { order: 'asc' });
    expect(passages.map(({ text, tags, createdAt }) => [text, tags, createdAt])).toEqual([
      ['dropped', [], dropped!.createdAt],
      ['kept', [], kept!.createdAt],
      ['before', ['t'], changed!.createdAt],
    ]);
    const archive = await agentArchive(db, fork.id);
    const rows = await db
      .selectFrom('passages')
      .select(['embedding', 'embedding_model'])
      .where('archive_id', '=', archive.id)
      .where('words', '=', 'dropped')
      .execute();
    expect(rows).toEqual([{ embedding: [1, 2], embedding_model: 'm' }]);
  });

  it('pins the passages that its original has pinned and had then [fork.pins]', async () => {
    const agent = await anAgentWithMemory();
    const [pinned, changed, loose] = await insertPassages(db, agent.id, [
      ...[{ text: 'pinned' }, { text: 'before' }, { text: 'loose' }],
    ]);
    const messageId = await say(agent);
    await db.updateTable('passages').set({ words: 'after' }).where('id', '=', changed!.id).execute();
    const [later] = await insertPassages(db, agent.id, [{ text: 'later' }]);
    for (const passage of [changed, later, pinned]) await pinPassage(db, agent.id, passage!.id);

    const { agent: fork } = await forkOf(agent, { kind: 'message', messageId });
    await unpinPassage(db, agent.id, pinned!.id);

    const pins = await listPins(db, fork.id);
    expect(pins.map(({ text }) => text)).toEqual(['before', 'pinned']);
    expect(pins.filter(({ id }) => [pinned, changed, loose].some((one) => one?.id === id))).toEqual([]);
    expect(await listPins(db, agent.id)).toMatchObject([{ text: 'after' }, { text: 'later' }]);
  });

  it('has the blocks that were attached then, with the values of then [fork.as-of]', async () => {
    const agent = await anAgent(db, {
      blocks: [
        { label: 'human', value: 'Sid', limit: 100 },
        { label: 'persona', value: 'Sam' },
      ],
    });
    const human = await getAgentBlock(db, agent.id, 'human');
    const messageId = await say(agent);
    await changeBlock(db, { blockId: human.id, operation: { kind: 'set', value: '' }, actor: 'user' });
    await updateBlockFields(db, human.id, { limit: 1 });
    await detachBlock(db, agent.id, human.id);
    const { id } = await createBlock(db, { label: 'later', value: 'x' });
    await attachBlock(db, { agentId: agent.id, blockId: id });

    const { blocks, agent: fork } = await forkOf(agent, { kind: 'message', messageId });

    expect(blocks).toEqual([
      ['human', 'Sid'],
      ['persona', 'Sam'],
    ]);
    const ids = (await listAgentBlocks(db, fork.id)).map((block) => block.id);
    expect(ids).not.toContain(human.id);
    expect(await forkOf(agent, { kind: 'now' })).toMatchObject({
      blocks: [
        ['persona', 'Sam'],
        ['later', 'x'],
      ],
    });
  });

  it('can be as of a time, to the millisecond [fork.as-of]', async () => {
    const agent = await anAgentWithMemory();
    const human = await getAgentBlock(db, agent.id, 'human');
    const states = [];
    for (let round = 0; round < 5; round += 1) {
      await say(agent, answer());
      const operation = { kind: 'set' as const, value: `round ${round}` };
      const outcome = await changeBlock(db, { blockId: human.id, operation, actor: 'user' });
      const at = outcome.block.updatedAt;
      states.push({ at, state: await stateOf(db, agent.id) });
      // The next change is in another millisecond of the database's clock.
      await waitFor(() => (Date.now() > at.getTime() + 2 ? true : undefined), {
        timeoutMs: 1_000,
        everyMs: 1,
      });
    }

    for (const { at, state } of states) {
      expect(await forkOf(agent, { kind: 'time', at })).toMatchObject(state);
    }
  });

  it('includes an answer with its results, and omits one whose tools still run [fork.as-of]', async () => {
    const agent = await anAgentWithMemory();
    const said = await say(agent);
    const answered = await say(agent, answer('call-1', 'call-2'));
    await say(agent, result('call-1'));
    await say(agent, result('call-2'));
    await say(agent);
    const open = await say(agent, answer('call-3'));

    const kindsAt = async (messageId: string) =>
      kindsOf((await forkOf(agent, { kind: 'message', messageId })).agent);

    expect(await kindsAt(said)).toEqual(['user']);
    expect(await kindsAt(answered)).toEqual(['user', 'assistant', 'tool', 'tool']);
    expect(await kindsAt(open)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
    expect(await kindsOf((await forkOf(agent, { kind: 'now' })).agent)).toHaveLength(5);
  });

  it('has the conversations of then, with their messages up to then [fork.as-of]', async () => {
    const agent = await anAgentWithMemory();
    const { id } = await createConversation(db, agent.id, { summary: 'Boats' });
    await say(agent, undefined, id);
    const messageId = await say(agent);
    await say(agent, undefined, id);
    await createConversation(db, agent.id, { summary: 'Later' });

    const { agent: fork } = await forkOf(agent, { kind: 'message', messageId });

    const [conversation, ...none] = await listConversations(db, { agentId: fork.id }, 'created_at', {});
    expect(none).toEqual([]);
    expect(conversation).toMatchObject({ summary: 'Boats' });
    expect(await listMessages(db, { threadId: conversation!.id }, {})).toHaveLength(1);
  });

  it('shares nothing with its original [fork.isolated]', async () => {
    const act = fc.record({
      what: fc.constantFrom('say', 'edit', 'keep', 'drop', 'detach', 'attach', 'fork', 'move queue'),
      who: fc.nat(1),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 10 }), async (acts) => {
        const original = await anAgentWithMemory();
        await insertPassages(db, original.id, [{ text: 'a' }, { text: 'b' }]);
        await say(original);
        const { agent: fork } = await forkOf(original, { kind: 'now' });
        const both = [original, fork] as const;
        for (const { what, who } of acts) {
          const other = both[1 - who]!.id;
          const before = await stateOf(db, other);
          await doAs(both[who]!, what);
          expect(await stateOf(db, other)).toEqual(before);
        }
        await deleteAgent(db, fork.id);
        const before = await stateOf(db, original.id);
        await purgeAgent(db, fork.id);
        expect(await stateOf(db, original.id)).toEqual(before);
      }),
      { numRuns: 20 },
    );
  });

  async function doAs(agent: Agent, what: string): Promise<void> {
    const [block] = await listAgentBlocks(db, agent.id);
    const [passage] = await listPassages(db, { agentId: agent.id }, {});
    switch (what) {
      case 'say':
        await say(agent, answer());
        break;
      case 'edit':
        if (block !== undefined)
          await changeBlock(db, {
            ...{ blockId: block.id, actor: 'agent', agentId: agent.id },
            operation: { kind: 'append', content: randomUUID() },
          });
        break;
      case 'keep':
        await insertPassages(db, agent.id, [{ text: randomUUID() }]);
        break;
      case 'drop':
        if (passage !== undefined) await deletePassage(db, agent.id, passage.id);
        break;
      case 'detach':
        if (block !== undefined) await detachBlock(db, agent.id, block.id);
        break;
      case 'attach': {
        const { id } = await createBlock(db, { label: randomUUID(), value: 'x' });
        await attachBlock(db, { agentId: agent.id, blockId: id });
        break;
      }
      case 'fork':
        await forkAgent(db, testVault, { agentId: agent.id, moment: { kind: 'now' } });
        break;
      case 'move queue':
        await db.updateTable('threads').set({ queue_start: 2 }).where('id', '=', agent.id).execute();
    }
  }

  it('is refused for a moment that has no state [fork.refused]', async () => {
    const agent = await anAgentWithMemory();
    const { agent: fork } = await forkOf(agent, { kind: 'now' });
    const [pending, unknown] = [`step-${randomUUID()}`, `message-${randomUUID()}`];
    const turn = { id: `run-${randomUUID()}`, thread_id: agent.id, agent_id: agent.id };
    await db
      .insertInto('turns')
      .values({ ...turn, state: 'running', options: '{}' })
      .execute();
    await db
      .insertInto('steps')
      .values({
        ...{ id: pending, turn_id: turn.id, thread_id: agent.id, agent_id: agent.id },
        ...{ index: 0, state: 'pending', model: 'a/b' },
      })
      .execute();
    const refusal = (of: Agent, moment: MomentName) =>
      rejection(forkAgent(db, testVault, { agentId: of.id, moment }));
    const anHour = 3_600_000;
    const at = (offset: number): MomentName => ({ kind: 'time', at: new Date(Date.now() + offset) });

    expect(await refusal(fork, at(-anHour))).toMatchObject({ name: 'MomentRefusedError', code: 'early' });
    expect(await refusal(agent, at(anHour))).toMatchObject({ name: 'MomentRefusedError', code: 'late' });
    expect(await refusal(agent, { kind: 'step', stepId: pending })).toMatchObject({ code: 'unanswered' });
    expect(await refusal(fork, { kind: 'step', stepId: pending })).toMatchObject({
      name: 'StepNotFoundError',
    });
    expect(await refusal(agent, { kind: 'message', messageId: unknown })).toMatchObject({
      name: 'MessageNotFoundError',
    });
  });
});
