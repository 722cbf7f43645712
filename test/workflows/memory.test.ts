import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorldFailure } from '../../core/failures.js';
import type { ModelRequest } from '../../core/models/model.js';
import { attachBlock, getAgentBlock } from '../../schema/blocks/agent-blocks.js';
import { changeBlock } from '../../schema/blocks/changes.js';
import { updateAgent } from '../../schema/agents/updates.js';
import { readSummary } from '../../schema/threads/evictions.js';
import { listPassages } from '../../schema/archives/passages.js';
import { readThread } from '../../schema/threads/threads.js';
import { giveAPast } from '../support/agents/past.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying, type ScriptLine } from '../support/models/scripted-model.js';

describe('the memory of an agent', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker();
  });

  afterAll(async () => {
    expect(runtime.log.filter((line) => !line.startsWith('The summariser'))).toEqual([]);
    await runtime.close();
  });

  const prefixOf = (request: ModelRequest | undefined): string => {
    const [first] = request?.messages ?? [];
    return first?.role === 'system' ? first.content : '';
  };

  const remember = { label: 'human', content: 'x', request_heartbeat: true };

  it('keeps the prefix byte-identical while the agent edits, and reports others’ changes [memory.epoch] [memory.shared]', async () => {
    const agent = await runtime.anAgent();
    const other = await runtime.anAgent({ blocks: [] });
    const block = await getAgentBlock(runtime.db, agent.id, 'human');
    await attachBlock(runtime.db, { agentId: other.id, blockId: block.id });
    const asked = models.requests.length;
    models.script(
      callOf('core_memory_append', remember),
      async () => {
        await changeBlock(runtime.db, {
          blockId: block.id,
          operation: { kind: 'append', content: 'Changed by another agent.' },
          actor: 'agent',
          agentId: other.id,
        });
        return callOf('core_memory_append', { ...remember, label: 'persona' });
      },
      saying('done'),
    );

    await runtime.tell(agent, 'Edit.');

    const [first, second, third] = models.requests.slice(asked);
    expect(new Set([first, second, third].map(prefixOf)).size).toBe(1);
    const notices = third?.messages.filter((message) => JSON.stringify(message).includes('system_alert'));
    expect(JSON.stringify(notices)).toContain('Changed by another agent.');
    expect(JSON.stringify(second?.messages)).not.toContain('Changed by another agent.');
  });

  it('begins a new epoch when the instructions change [memory.epoch]', async () => {
    const agent = await runtime.anAgent();
    models.script(saying('one'), saying('two'));
    await runtime.tell(agent, 'First.');
    const before = prefixOf(models.requests.at(-1));
    await updateAgent(runtime.db, agent.id, { system: 'You are somebody else now.' });

    await runtime.tell(agent, 'Second.');

    const after = prefixOf(models.requests.at(-1));
    expect(before).not.toContain('You are somebody else now.');
    expect(after).toContain('You are somebody else now.');
  });

  it('shows blocks, figures, tools and new archival memories in the context [memory.context]', async () => {
    const agent = await runtime.anAgent();
    models.script(
      callOf('archival_memory_insert', { content: 'The boat is called Perdure.', request_heartbeat: true }),
      callOf('archival_memory_search', { query: 'What is the name of the boat?', request_heartbeat: true }),
      saying('Perdure.'),
      saying('Still Perdure.'),
    );

    await runtime.tell(agent, 'Remember the boat.');
    await runtime.tell(agent, 'And now?');

    const last = models.requests.at(-1);
    expect(prefixOf(last)).toMatch(/<human>[\s\S]*chars_limit=2000[\s\S]*<memory_metadata>/);
    expect(last?.tools.map((tool) => tool.name)).toContain('archival_memory_search');
    expect(JSON.stringify(last?.messages)).toMatch(/1 (total )?(passage|memor)/);
    expect(await listPassages(runtime.db, { agentId: agent.id }, {})).toHaveLength(1);
  });

  it('finds old messages with conversation_search, but not the current question [memory.recall] [recall.own-question]', async () => {
    const agent = await runtime.anAgent();
    await giveAPast(runtime.db, agent, 12, (index) =>
      index === 3 ? 'The code of the safe is ZX-4711.' : `Talk ${index}.`,
    );
    models.script(
      callOf('conversation_search', { query: 'Which code opens the safe?', request_heartbeat: true }),
      saying('ZX-4711'),
    );

    await runtime.tell(agent, 'What was the code?');

    const result = models.requests.at(-1)?.messages.find((message) => message.role === 'tool');
    expect(result?.content).toContain('ZX-4711');
    expect(result?.content).not.toContain('What was the code?');
  });

  describe('under pressure', () => {
    const small = 9_000;
    const isSummaryRequest = (request: ModelRequest) => request.tools.length === 0;

    const anOldAgent = async (messages = 40) => {
      const agent = await runtime.anAgent({ contextWindow: small });
      await giveAPast(
        runtime.db,
        agent,
        messages,
        (index) => `Old ${index}: ${'we talked of the sea. '.repeat(30)}`,
      );
      return agent;
    };

    it('evicts the oldest messages and keeps a summary as a memory block [memory.pressure] [memory.eviction] [memory.summary]', async () => {
      const agent = await anOldAgent();
      const asked = models.requests.length;
      const summaries: ScriptLine[] = Array.from(
        { length: 8 },
        () => (request: ModelRequest) =>
          isSummaryRequest(request) ? { text: 'We talked of the sea.' } : saying('aye'),
      );
      models.script(...summaries);

      const turn = await runtime.tell(agent, 'Ahoy.');

      expect(turn).toMatchObject({ state: 'completed', steps: 1 });
      const thread = await readThread(runtime.db, agent.id);
      expect(thread?.queueStart).toBeGreaterThan(1);
      expect(await readSummary(runtime.db, thread!)).toContain('We talked of the sea.');
      const answered = models.requests.slice(asked).find((request) => !isSummaryRequest(request));
      expect(prefixOf(answered)).toContain('We talked of the sea.');
      expect(JSON.stringify(answered?.messages)).toContain('Ahoy.');
      models.drop();
    });

    it.each<[string, WorldFailure | { text: string }]>([
      ['fails for good', new WorldFailure('Model.BadRequest', 'no', { retryable: false })],
      ['fails again and again', new WorldFailure('Model.Unavailable', 'down', { retryable: true })],
      ['returns nothing', { text: '' }],
      ['rambles', { text: 'And then. '.repeat(5_000) }],
    ])('continues when the summariser %s [memory.eviction] [memory.never-bricked]', async (_, line) => {
      const agent = await anOldAgent();
      const lines: ScriptLine[] = Array.from({ length: 20 }, () => (request: ModelRequest) => {
        if (!isSummaryRequest(request)) return saying('aye');
        if (line instanceof WorldFailure) throw line;
        return line;
      });
      models.script(...lines);

      const turn = await runtime.tell(agent, 'Ahoy.');

      expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
      const thread = await readThread(runtime.db, agent.id);
      expect((await readSummary(runtime.db, thread!)).length).toBeLessThanOrEqual(5_000);
      models.drop();
    });

    it('believes the provider when the window is smaller than configured [memory.never-bricked]', async () => {
      const agent = await runtime.anAgent({ contextWindow: 100_000 });
      await giveAPast(
        runtime.db,
        agent,
        60,
        (index) => `Old ${index}: ${'we talked of the sea. '.repeat(30)}`,
      );
      const lines: ScriptLine[] = Array.from({ length: 40 }, () => (request: ModelRequest) => {
        if (isSummaryRequest(request)) return { text: 'The sea.' };
        if (JSON.stringify(request.messages).length > 40_000) {
          throw new WorldFailure('Model.ContextOverflow', 'too long', { retryable: false, status: 400 });
        }
        return saying('aye');
      });
      models.script(...lines);

      const turn = await runtime.tell(agent, 'Ahoy.');

      expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
      expect((await readThread(runtime.db, agent.id))?.learned?.tokens).toBeLessThan(100_000);
      models.drop();
    });

    it('accepts a message that is larger than the window [memory.never-bricked]', async () => {
      const agent = await runtime.anAgent({ contextWindow: small });
      models.script(
        ...Array.from(
          { length: 20 },
          () => (request: ModelRequest) =>
            isSummaryRequest(request) ? { text: 'Much was said.' } : saying('aye'),
        ),
      );

      const turn = await runtime.tell(agent, `Begin. ${'A very long story. '.repeat(8_000)} The end.`);

      expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
      models.drop();
    });

    it('fails with a stop reason when instructions and memory fill the window [memory.never-bricked]', async () => {
      const agent = await runtime.anAgent({ contextWindow: 1_000 });
      models.script(...Array.from({ length: 20 }, () => ({ text: 'A summary.' })));

      const turn = await runtime.tell(agent, 'Ahoy.');

      expect(turn).toMatchObject({ state: 'failed', stopReason: 'context_window_overflow_in_system_prompt' });
      models.drop();
    });
  });
});
