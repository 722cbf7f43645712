import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { WorldFailure } from '../../core/failures.js';
import type { Agent } from '../../core/agents/agents.js';
import type { ModelAnswer, ModelRequest } from '../../core/models/model.js';
import { noUsage } from '../../core/models/usage.js';
import { updateAgent } from '../../schema/agents/updates.js';
import { changeBlock } from '../../schema/blocks/changes.js';
import { updateBlockFields } from '../../schema/blocks/blocks.js';
import { readSummary } from '../../schema/threads/evictions.js';
import { readThread } from '../../schema/threads/threads.js';
import { giveAPast } from '../support/agents/past.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying, type ScriptLine } from '../support/models/scripted-model.js';

describe('an eviction', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    // The summariser gets half of it.
    runtime = await startRuntime({ models, modelTimeoutMs: 6_000 });
    await runtime.startWorker();
  });

  afterAll(async () => {
    expect(runtime.log.filter((line) => !line.startsWith('The summariser'))).toEqual([]);
    await runtime.close();
  });

  const isSummaryRequest = (request: ModelRequest) => request.tools.length === 0;

  const anOldAgent = async (messages = 40) => {
    const agent = await runtime.anAgent({ contextWindow: 9_000 });
    await giveAPast(
      runtime.db,
      agent,
      messages,
      (index) => `Old ${index}: ${'we talked of the sea. '.repeat(30)}`,
    );
    return agent;
  };

  type Answers = (call: number) => ReturnType<Extract<ScriptLine, (...args: never[]) => unknown>>;

  /** Runs a turn with these answers of the summariser and the agent. Returns the summariser's requests. */
  async function tellWith(
    agent: Agent,
    summariser: Answers,
    speaker: Answers = () => saying('aye'),
  ): Promise<readonly ModelRequest[]> {
    const from = models.requests.length;
    const calls = { summariser: 0, speaker: 0 };
    const line: ScriptLine = (request) =>
      isSummaryRequest(request) ? summariser((calls.summariser += 1)) : speaker((calls.speaker += 1));
    models.script(...Array.from({ length: 30 }, () => line));
    const turn = await runtime.tell(agent, 'Ahoy.');
    models.drop();
    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
    return models.requests.slice(from).filter(isSummaryRequest);
  }

  const methodsOf = async (agent: Agent) => {
    const rows = await runtime.db
      .selectFrom('evictions')
      .select('method')
      .where('thread_id', '=', agent.id)
      .orderBy('created_at')
      .execute();
    return rows.map((row) => row.method);
  };

  const summaryOf = async (agent: Agent) =>
    readSummary(runtime.db, (await readThread(runtime.db, agent.id))!);

  const keptChunks = async (agent: Agent) =>
    runtime.db.selectFrom('chunk_summaries').select('summary').where('thread_id', '=', agent.id).execute();

  it('continues without a summariser that hangs, after one attempt and half the time [eviction.in-time]', async () => {
    const agent = await anOldAgent();

    const asked = await tellWith(agent, () => new Promise(() => undefined));

    expect(asked).toHaveLength(1);
    expect(await methodsOf(agent)).toEqual(['hard']);
    expect(await summaryOf(agent)).toMatch(/^\d+ older messages left your context/);
  });

  it.each([-300_000, 300_000])(
    'summarises on a machine whose clock is %d ms off [waits.clock]',
    async (offMs) => {
      const agent = await anOldAgent();
      const { now } = Date;
      const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + offMs);

      await tellWith(agent, () => ({ text: 'We sailed.' })).finally(() => {
        clock.mockRestore();
      });

      expect(await methodsOf(agent)).toEqual([expect.stringMatching(/^summarised/)]);
      expect(await summaryOf(agent)).toMatch(/^We sailed\./);
    },
  );

  it('keeps what a summariser finished before it failed, and counts the rest [eviction.partial]', async () => {
    const agent = await anOldAgent();
    const refusal = new WorldFailure('Model.BadRequest', 'no', { retryable: false });

    const asked = await tellWith(agent, (call) =>
      call === 1 ? { text: 'We sailed.' } : Promise.reject(refusal),
    );

    expect(asked).toHaveLength(2);
    expect(await methodsOf(agent)).toEqual(['hard']);
    expect(await summaryOf(agent)).toMatch(/^\d+ older messages left your context .*\nWe sailed\./);
  });

  it('does not pay for a part again when a later part fails for a while [eviction.paid-once]', async () => {
    const agent = await anOldAgent();
    const outage = new WorldFailure('Model.Unavailable', 'down', { retryable: true });

    const asked = await tellWith(agent, (call) =>
      call === 2 ? Promise.reject(outage) : { text: `Part ${call}.` },
    );

    const texts = asked.map((request) => JSON.stringify(request.messages));
    expect(asked.length).toBeGreaterThan(2);
    // The second part is requested again after the outage, the first is not.
    expect(texts[2]).toBe(texts[1]);
    expect(texts.filter((text) => text === texts[0])).toHaveLength(1);
    expect(await methodsOf(agent)).toEqual(['summarised_in_chunks']);
    expect(await keptChunks(agent)).toEqual([]);
  });

  it('does not wait for a provider whose retry time exceeds the deadline [eviction.in-time]', async () => {
    const agent = await anOldAgent();
    const busy = new WorldFailure('Model.RateLimited', 'busy', { retryable: true, retryAfterMs: 60_000 });

    const asked = await tellWith(agent, () => Promise.reject(busy));

    expect(asked).toHaveLength(1);
    expect(await methodsOf(agent)).toEqual(['hard']);
  });

  it('cuts a summary to the limit that a user gave its block [eviction.summary-fits]', async () => {
    const agent = await anOldAgent();
    await tellWith(agent, () => ({ text: 'We sailed. '.repeat(20) }));
    const { summaryBlockId } = (await readThread(runtime.db, agent.id))!;
    await updateBlockFields(runtime.db, summaryBlockId!, { limit: 50 });
    await giveAPast(runtime.db, agent, 30, (index) => `New ${index}: ${'we talked of land. '.repeat(30)}`);

    await tellWith(agent, () => ({ text: 'We went ashore. '.repeat(20) }));

    expect(await summaryOf(agent)).toBe('We went ashore. We went ashore. We went ashore.');
  });

  it('measures by the provider’s token count, and keeps its share beside a large prefix [memory.calibrated] [memory.share]', async () => {
    const agent = await runtime.anAgent({ contextWindow: 8_000 });
    const counted = { ...noUsage, promptTokens: 2_700, completionTokens: 10, totalTokens: 2_710 };
    await tellWith(
      agent,
      () => ({ text: 'We sailed.' }),
      () => ({ ...saying('aye'), usage: counted }),
    );
    await giveAPast(runtime.db, agent, 60, (index) => `Old ${index}: ${'we talked of the sea. '.repeat(30)}`);

    await tellWith(agent, () => ({ text: 'We sailed.' }));

    const [eviction, ...further] = await runtime.db
      .selectFrom('evictions')
      .selectAll()
      .where('thread_id', '=', agent.id)
      .orderBy('created_at')
      .execute();
    expect(further).toEqual([]);
    // The request's limit minus the prefix and the largest summary is about 3,500 tokens.
    expect(eviction?.tokens_after).toBeGreaterThan(1_900);
  });

  it('cuts a summary that leaves no room for messages, and continues [memory.never-bricked]', async () => {
    const agent = await anOldAgent();
    await tellWith(agent, () => ({ text: 'We sailed.' }));
    const { summaryBlockId } = (await readThread(runtime.db, agent.id))!;
    const value = 'We sailed from one island to the next one. '.repeat(900);
    await updateBlockFields(runtime.db, summaryBlockId!, { limit: 50_000 });
    const operation = { kind: 'set' as const, value };
    await changeBlock(runtime.db, { blockId: summaryBlockId!, operation, actor: 'user' });
    // A new epoch: the summary is part of its prefix.
    await updateAgent(runtime.db, agent.id, { system: 'You are somebody else now.' });

    const asked = await tellWith(agent, () => ({ text: 'We sailed. '.repeat(400) }));

    expect(asked.length).toBeLessThan(12);
    expect((await summaryOf(agent)).length).toBeLessThan(5_000);
    expect(JSON.stringify(models.requests.at(-1)?.messages)).toContain('Ahoy.');
  });

  describe('a learned context window', () => {
    const tooLong = new WorldFailure('Model.ContextOverflow', 'too long', { retryable: false, status: 400 });
    const usage = (promptTokens: number) => ({
      usage: {
        promptTokens,
        completionTokens: 10,
        totalTokens: promptTokens + 10,
        cachedTokens: 0,
        reasoningTokens: 0,
      },
    });

    it('is forgotten with a change of the model [window.learned]', async () => {
      const agent = await runtime.anAgent({ contextWindow: 60_000 });
      const summariser = () => Promise.resolve({ text: 'We sailed.' });
      await tellWith(agent, summariser, (call) => (call === 1 ? Promise.reject(tooLong) : saying('aye')));
      const small = (await readThread(runtime.db, agent.id))?.learned;
      expect(small).toEqual({ model: 'scripted/model', tokens: expect.any(Number) });
      expect(small?.tokens).toBeLessThan(10_000);

      await updateAgent(runtime.db, agent.id, { model: 'scripted/other' });
      await tellWith(agent, summariser);

      const step = await runtime.db
        .selectFrom('steps')
        .select('context_window')
        .where('agent_id', '=', agent.id)
        .where('model', '=', 'scripted/other')
        .executeTakeFirst();
      expect(step?.context_window).toBe(60_000);
    });

    it('is doubted when not even instructions and memory fit [window.doubted]', async () => {
      const agent = await runtime.anAgent({ contextWindow: 60_000 });
      const summariser = () => Promise.resolve({ text: 'We sailed.' });

      await tellWith(agent, summariser, (call) =>
        call === 1 ? Promise.reject(tooLong) : { ...saying('aye'), ...usage(6_000) },
      );

      const [refused, taken] = models.requests.slice(-2).map((request) => request.messages[0]);
      expect(taken).toEqual(refused);
      expect((await readThread(runtime.db, agent.id))?.learned?.tokens).toBe(6_000);
    });

    it('is at least what the model has accepted, and grows with it [window.floor]', async () => {
      const agent = await runtime.anAgent({ contextWindow: 60_000 });
      const remember = callOf('core_memory_append', {
        label: 'human',
        content: 'x',
        request_heartbeat: true,
      });
      const answers: Partial<ModelAnswer>[] = [{ ...remember, ...usage(20_000) }, saying('aye')];
      await tellWith(
        agent,
        () => Promise.resolve({ text: 'We sailed.' }),
        (call) => (call === 2 ? Promise.reject(tooLong) : (answers.shift() ?? saying('aye'))),
      );

      const learned = (await readThread(runtime.db, agent.id))?.learned;
      expect(learned).toEqual({ model: 'scripted/model', tokens: 20_000 });
      await tellWith(
        agent,
        () => Promise.resolve({ text: 'We sailed.' }),
        () => ({
          ...saying('aye'),
          ...usage(24_000),
        }),
      );
      expect((await readThread(runtime.db, agent.id))?.learned?.tokens).toBe(24_000);
    });
  });
});
