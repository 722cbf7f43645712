import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorldFailure } from '../../core/failures.js';
import type { ModelRequest } from '../../core/models/model.js';
import type { Author } from '../../schema/blocks/authors.js';
import { attachBlock, getAgentBlock } from '../../schema/blocks/agent-blocks.js';
import { attachTool, resolveTools } from '../../schema/tools/agent-tools.js';
import { updateAgent } from '../../schema/agents/updates.js';
import { changeBlock } from '../../schema/blocks/changes.js';
import { restoreBlock, stepBlock } from '../../schema/blocks/restoring.js';
import { createBlock } from '../../schema/blocks/blocks.js';
import { forkConversation } from '../../schema/past/conversation-forks.js';
import { listRevisions } from '../../schema/blocks/revisions.js';
import { listPassages } from '../../schema/archives/passages.js';
import { listBranches } from '../../schema/blocks/branches.js';
import { committedTokens, releaseTokens } from '../../schema/refinement/token-budgets.js';
import { getTurn } from '../../schema/turns/turns.js';
import { readWatermark } from '../../schema/threads/watermarks.js';
import { roundTurnId } from '../../schema/refinement/refinements.js';
import { sweep } from '../../worker/sweep.js';
import { aPair, type Pair, refined, valueOf } from '../support/agents/partners.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying, type ScriptLine } from '../support/models/scripted-model.js';

const finish = () => callOf('memory_finish_edits', {});
const insert = (label: string, new_string: string) => callOf('memory_insert', { label, new_string });

describe('a refinement', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker();
  });

  afterAll(async () => {
    expect(runtime.log).toEqual([]);
    await runtime.close();
  });

  /** Sends these texts to the agent, which answers each. */
  async function talk({ agent }: Pair, ...texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      models.script(saying('I see.'));
      const turn = await runtime.tell(agent, text);
      expect(turn.state).toBe('completed');
    }
  }

  const lastTask = (request: ModelRequest | undefined): string => {
    const tasks = request?.messages.filter((message) => message.role === 'user');
    return JSON.stringify(tasks?.at(-1)?.content ?? '');
  };

  const byHand = async (pair: Pair) => {
    await runtime.sleepTime.refine(pair.group.id);
    return refined(runtime, pair);
  };

  it('starts after every n-th turn and writes into the shared blocks [sleep.frequency] [sleep.refine]', async () => {
    const pair = await aPair(runtime, { frequency: 2 });
    await talk(pair, 'My name is Ada.');
    await sweep(runtime);
    expect(await refined(runtime, pair)).toEqual([]);
    await talk(pair, 'I live in Oslo.');
    models.script(insert('human', 'Ada, lives in Oslo.'), finish());

    await sweep(runtime);
    const refinements = await refined(runtime, pair);

    expect(refinements).toMatchObject([
      { cause: 'turns', state: 'completed', endedBy: 'finished', round: 0, agentId: pair.agent.id },
    ]);
    expect(lastTask(models.requests.at(-2))).toMatch(/user: My name is Ada\..*user: I live in Oslo\./s);
    expect(await valueOf(runtime, pair.agent, 'human')).toMatch(/\nAda, lives in Oslo\.$/);
    const { id } = await getAgentBlock(runtime.db, pair.agent.id, 'human');
    expect(await listRevisions(runtime.db, id, { limit: 1 })).toMatchObject([
      { actor: 'sleep_time', agentId: pair.partner.id, turnId: roundTurnId(refinements[0]!.id, 0) },
    ]);
  });

  it('reads each message once, in order, starting with an empty queue [sleep.once]', async () => {
    const pair = await aPair(runtime);
    await talk(pair, 'First thing.');
    models.script(finish());
    await byHand(pair);
    const mark = await readWatermark(runtime.db, pair.partner.id, pair.agent.id);
    await talk(pair, 'Second thing.');
    models.script(finish());

    const [, second] = await byHand(pair);

    const request = models.requests.at(-1);
    expect(JSON.stringify(request?.messages)).not.toContain('First thing.');
    expect(lastTask(request)).toContain('Second thing.');
    expect(second?.ranges).toMatchObject([{ threadId: pair.agent.id, from: mark! + 1 }]);
    expect(await readWatermark(runtime.db, pair.partner.id, pair.agent.id)).toBe(second?.ranges[0]?.to);
  });

  it('does nothing without new messages [sleep.once]', async () => {
    const pair = await aPair(runtime);

    expect(await byHand(pair)).toEqual([]);
  });

  it('reads only new messages of a fork, not those that it copied [sleep.once]', async () => {
    const pair = await aPair(runtime);
    await talk(pair, 'Said before.');
    const fork = await forkConversation(runtime.db, { threadId: pair.agent.id });
    models.script(finish());
    await byHand(pair);
    expect(lastTask(models.requests.at(-1)).match(/Said before\./g)).toHaveLength(1);
    models.script(saying('I see.'), finish());
    const { turn } = await runtime.turns.send({
      threadId: fork.id,
      messages: [{ role: 'user', content: 'Said in the fork.' }],
    });
    await runtime.turns.result(turn.id);

    await byHand(pair);

    expect(lastTask(models.requests.at(-1))).toContain('Said in the fork.');
    expect(lastTask(models.requests.at(-1))).not.toContain('Said before.');
  });

  it('splits a long past into several refinements within the window [sleep.once]', async () => {
    const pair = await aPair(runtime, { refinement: { maxTokens: 40_000 } });
    const words = 'we talked of the sea and of the boats '.repeat(60);
    await talk(pair, ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((index) => `Saying ${index}: ${words}`));
    const before = models.requests.length;
    models.script(...Array.from({ length: 9 }, finish));

    const refinements = await byHand(pair);
    const asked = models.requests.slice(before).map(lastTask).join('');
    models.drop();

    expect(refinements.length).toBeGreaterThan(1);
    expect(asked.match(/Saying \d/g)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((index) => `Saying ${index}`));
    const ranges = refinements.flatMap(({ ranges: all }) => all);
    ranges.slice(1).forEach((range, index) => {
      expect(range.from).toBe(ranges[index]!.to + 1);
    });
  });

  it('refuses an edit that guts a block, and tells the partner [sleep.gutting]', async () => {
    const facts = 'They live in Oslo and keep bees. '.repeat(10);
    const pair = await aPair(runtime, {}, { blocks: [{ label: 'human', value: facts }] });
    await talk(pair, 'Hello.');
    models.script(
      callOf('memory_rethink', { label: 'human', new_memory: 'Bees.' }),
      callOf('memory_replace', { label: 'human', old_string: facts.trim(), new_string: '' }),
      finish(),
    );

    await byHand(pair);

    const told = models.requests.at(-1)?.messages.filter((message) => message.role === 'tool');
    expect(told?.map(({ content }) => content)).toEqual([
      expect.stringMatching(/5 of the 330 characters .* must keep at least 132/),
      expect.stringMatching(/empty, so it was refused/),
    ]);
    expect(await valueOf(runtime, pair.agent, 'human')).toBe(facts);
  });

  it('stops at its step limit and keeps its edits [sleep.budget]', async () => {
    const pair = await aPair(runtime, { refinement: { maxSteps: 2 } });
    await talk(pair, 'Hello.');
    models.script(insert('human', 'One.'), insert('human', 'Two.'));

    const refinements = await byHand(pair);

    expect(refinements).toMatchObject([{ state: 'completed', endedBy: 'steps' }]);
    expect(await valueOf(runtime, pair.agent, 'human')).toMatch(/One\.\nTwo\.$/);
  });

  it('stops within its token budget, and limits each answer to the rest [sleep.budget]', async () => {
    const pair = await aPair(runtime, { refinement: { maxTokens: 9_000 } });
    await talk(pair, 'Hello.');
    const usage = {
      promptTokens: 2_500,
      completionTokens: 500,
      totalTokens: 3_000,
      cachedTokens: 0,
      reasoningTokens: 0,
    };
    const before = models.requests.length;
    models.script(
      ...Array.from({ length: 9 }, (_, index) => ({ ...insert('human', `Fact ${index}.`), usage })),
    );

    const refinements = await byHand(pair);
    const asked = models.requests.slice(before);
    models.drop();

    expect(refinements).toMatchObject([{ state: 'completed', endedBy: 'tokens' }]);
    const spent = await committedTokens(runtime.db, refinements[0]!.id);
    expect(spent).toBe(asked.length * 3_000);
    expect(spent).toBeLessThanOrEqual(9_000);
    expect(asked.at(-1)?.settings.maxOutputTokens).toBeLessThanOrEqual(9_000 - (asked.length - 1) * 3_000);
    expect(await valueOf(runtime, pair.agent, 'human')).toContain('Fact 0.');
  });

  it('counts reserved tokens when the provider reports no usage [sleep.budget]', async () => {
    const pair = await aPair(runtime, { refinement: { maxTokens: 9_000 } });
    await talk(pair, 'Hello.');
    const usage = {
      ...{ promptTokens: 0, completionTokens: 0, totalTokens: 0 },
      ...{ cachedTokens: 0, reasoningTokens: 0 },
    };
    models.script(...[1, 2, 3, 4, 5].map((index) => ({ ...insert('human', `Fact ${index}.`), usage })));

    const [refinement] = await byHand(pair);
    models.drop();

    expect(refinement).toMatchObject({ state: 'completed', endedBy: 'tokens' });
    const spent = await committedTokens(runtime.db, refinement!.id);
    expect(spent).toBeGreaterThan(2_000);
    expect(spent).toBeLessThanOrEqual(9_000);
    // An execution that lost its turn can't release the tokens of an attempt.
    const { step_id: stepId, attempt } = await runtime.db
      .selectFrom('token_reservations')
      .select(['step_id', 'attempt'])
      .where('refinement_id', '=', refinement!.id)
      .limit(1)
      .executeTakeFirstOrThrow();
    const fence = { turnId: roundTurnId(refinement!.id, 0), executionId: 'another' };
    await releaseTokens(runtime.db, fence, { stepId, attempt });
    expect(await committedTokens(runtime.db, refinement!.id)).toBe(spent);
  });

  it('fails if the budget is too small for one step, and reads the same messages again later [sleep.budget] [sleep.failure]', async () => {
    const pair = await aPair(runtime, { refinement: { maxTokens: 1_000 } });
    await talk(pair, 'Hello.');

    const refinements = await byHand(pair);

    expect(refinements).toMatchObject([{ state: 'failed', error: { type: 'Refinement.Budget' } }]);
    expect(await readWatermark(runtime.db, pair.partner.id, pair.agent.id)).toBeUndefined();
  });

  it('keeps concurrent edits by others [sleep.merge]', async () => {
    const pair = await aPair(
      runtime,
      {},
      { blocks: [{ label: 'human', value: 'Name: Ada\nCity: Oslo\nPet: none' }] },
    );
    const { id } = await getAgentBlock(runtime.db, pair.agent.id, 'human');
    await talk(pair, 'I moved.');
    models.script(
      callOf('memory_replace', { label: 'human', old_string: 'City: Oslo', new_string: 'City: Bergen' }),
      async () => {
        const operation = { kind: 'append' as const, content: 'Likes tea.' };
        await changeBlock(runtime.db, { blockId: id, operation, actor: 'agent', agentId: pair.agent.id });
        expect(await valueOf(runtime, pair.agent, 'human')).toContain('City: Oslo');
        return finish();
      },
    );

    await byHand(pair);

    expect(await valueOf(runtime, pair.agent, 'human')).toBe(
      'Name: Ada\nCity: Bergen\nPet: none\nLikes tea.',
    );
  });

  it('treats writes of the partner’s tools as the partner’s own edits [sleep.merge] [sleep.gutting]', async () => {
    const pair = await aPair(runtime, {}, { blocks: [{ label: 'human', value: 'City: Oslo' }] });
    const { id } = await getAgentBlock(runtime.db, pair.agent.id, 'human');
    const set = (value: string, author: Author = { actor: 'user' }) =>
      changeBlock(runtime.db, { blockId: id, operation: { kind: 'set', value }, ...author });
    await set('City: Rome');
    await talk(pair, 'I moved.');
    const seen: unknown[] = [];
    models.script(async () => {
      const [running] = await runtime.sleepTime.list({ groupId: pair.group.id, states: ['running'] });
      const tool = { actor: 'tool', agentId: pair.partner.id, turnId: roundTurnId(running!.id, 0) } as const;
      const proposed = async () =>
        (await listBranches(runtime.db, running!.id)).map(({ value, state }) => ({ value, state }));
      seen.push(await set('', tool), await set('City: Bergen', tool), await proposed());
      seen.push(await stepBlock(runtime.db, 'undo', { blockId: id, ...tool }), await proposed());
      seen.push(await restoreBlock(runtime.db, 2, { blockId: id, ...tool }), await proposed());
      seen.push(await set('City: Bergen', tool), await valueOf(runtime, pair.agent, 'human'));
      return finish();
    });

    const refinements = await byHand(pair);

    const on = (value: string) => [{ value, state: 'open' }];
    const done = expect.objectContaining({ ok: true }) as unknown;
    expect(seen).toEqual([
      expect.objectContaining({ ok: false, code: 'gutted' }),
      ...[done, on('City: Bergen'), done, on('City: Oslo'), done, on('City: Rome'), done, 'City: Rome'],
    ]);
    expect(refinements).toMatchObject([{ state: 'completed' }]);
    expect(await valueOf(runtime, pair.agent, 'human')).toBe('City: Bergen');
    expect(await listRevisions(runtime.db, id, { limit: 1 })).toMatchObject([
      { revision: 3, actor: 'sleep_time', agentId: pair.partner.id },
    ]);
  });

  it('gives the partner the current text when both changed the same lines [sleep.conflict]', async () => {
    const pair = await aPair(runtime, {}, { blocks: [{ label: 'human', value: 'City: Oslo' }] });
    const { id } = await getAgentBlock(runtime.db, pair.agent.id, 'human');
    await talk(pair, 'I moved.');
    models.script(
      callOf('memory_replace', { label: 'human', old_string: 'Oslo', new_string: 'Bergen' }),
      async () => {
        const operation = { kind: 'set' as const, value: 'City: Oslo, for now' };
        await changeBlock(runtime.db, { blockId: id, operation, actor: 'user' });
        return finish();
      },
      callOf('memory_replace', {
        label: 'human',
        old_string: 'Oslo, for now',
        new_string: 'Oslo, soon Bergen',
      }),
      finish(),
    );

    const refinements = await byHand(pair);

    expect(refinements).toMatchObject([{ state: 'completed', round: 1 }]);
    expect(JSON.stringify(models.requests.at(-1)?.messages)).toMatch(
      /It reads now:.*City: Oslo, for now.*You wanted.*City: Bergen/s,
    );
    expect(await valueOf(runtime, pair.agent, 'human')).toBe('City: Oslo, soon Bergen');
  });

  it('keeps others’ lines when the partner cannot resolve the conflict [sleep.conflict]', async () => {
    const pair = await aPair(runtime, {}, { blocks: [{ label: 'human', value: 'City: Oslo\nPet: none' }] });
    const { id } = await getAgentBlock(runtime.db, pair.agent.id, 'human');
    await talk(pair, 'I moved.');
    let others = 0;
    const round = () => [
      callOf('memory_rethink', { label: 'human', new_memory: 'City: Bergen\nPet: a dog' }),
      async () => {
        others += 1;
        const operation = { kind: 'set' as const, value: `City: Rome ${others}\nPet: none` };
        await changeBlock(runtime.db, { blockId: id, operation, actor: 'user' });
        return finish();
      },
    ];
    models.script(...round(), ...round(), ...round());

    const [refinement] = await byHand(pair);

    expect(refinement).toMatchObject({ state: 'completed', round: 2 });
    expect(await valueOf(runtime, pair.agent, 'human')).toBe('City: Rome 3\nPet: none');
    const branches = await runtime.db.transaction().execute((tx) => listBranches(tx, refinement!.id));
    expect(branches).toMatchObject([
      { state: 'dropped', note: expect.stringContaining('lines that you changed') },
    ]);
  });

  it('keeps its edits on the branch until they are approved, and then merges them [sleep.review]', async () => {
    const pair = await aPair(
      runtime,
      { refinement: { review: true } },
      { blocks: [{ label: 'human', value: 'Name: Ada\nCity: Oslo' }] },
    );
    const { id } = await getAgentBlock(runtime.db, pair.agent.id, 'human');
    await talk(pair, 'I have a dog.');
    models.script(insert('human', 'Pet: a dog'), finish());
    const [refinement] = await byHand(pair);
    expect(refinement).toMatchObject({ state: 'in_review', endedBy: 'finished' });
    expect(await valueOf(runtime, pair.agent, 'human')).toBe('Name: Ada\nCity: Oslo');
    expect(await readWatermark(runtime.db, pair.partner.id, pair.agent.id)).toBe(refinement?.ranges[0]?.to);
    const operation = { kind: 'replace' as const, old: 'Oslo', new: 'Bergen', all: false };
    await changeBlock(runtime.db, { blockId: id, operation, actor: 'user' });

    const approved = await runtime.sleepTime.approve(refinement!.id);

    expect(approved.state).toBe('completed');
    expect(await valueOf(runtime, pair.agent, 'human')).toBe('Name: Ada\nCity: Bergen\nPet: a dog');
    await expect(runtime.sleepTime.reject(refinement!.id)).rejects.toMatchObject({
      name: 'RefinementStateError',
      state: 'completed',
    });
  });

  it('asks the reviewer for a text on a conflict, and can be rejected [sleep.review]', async () => {
    const pair = await aPair(
      runtime,
      { refinement: { review: true } },
      { blocks: [{ label: 'human', value: 'City: Oslo' }] },
    );
    const { id } = await getAgentBlock(runtime.db, pair.agent.id, 'human');
    const propose = async (text: string) => {
      await talk(pair, text);
      const value = await valueOf(runtime, pair.agent, 'human');
      models.script(
        callOf('memory_replace', { label: 'human', old_string: value, new_string: text }),
        finish(),
      );
      return (await byHand(pair)).at(-1)!;
    };
    const first = await propose('City: Bergen');
    const second = await propose('City: Rome');
    await changeBlock(runtime.db, {
      blockId: id,
      operation: { kind: 'set', value: 'City: Paris' },
      actor: 'user',
    });

    await expect(runtime.sleepTime.approve(first.id)).rejects.toMatchObject({
      name: 'RefinementConflictError',
      conflicts: [{ blockId: id, label: 'human', current: 'City: Paris', yours: 'City: Bergen' }],
    });
    expect(await runtime.sleepTime.approve(first.id, { [id]: 'City: Paris, once Bergen' })).toMatchObject({
      state: 'completed',
    });
    expect(await runtime.sleepTime.reject(second.id)).toMatchObject({ state: 'rejected' });
    expect(await valueOf(runtime, pair.agent, 'human')).toBe('City: Paris, once Bergen');
  });

  it('reads documents part by part, as many times as requested [sleep.documents]', async () => {
    const pair = await aPair(runtime, { refinement: { maxTokens: 10_000 } });
    const text = Array.from(
      { length: 120 },
      (_, index) => `Line ${index}: the manual says how to sail.`,
    ).join('\n');
    const documents = [{ name: 'manual.md', text }];
    const before = models.requests.length;
    models.script(...Array.from({ length: 20 }, finish));

    const [request] = await runtime.sleepTime.refine(pair.group.id, {
      documents,
      cycles: 2,
      instructions: 'Sailing.',
    });
    const refinements = await refined(runtime, pair);
    const tasks = models.requests.slice(before).map(lastTask);
    models.drop();

    const { parts } = request!;
    expect(parts!.length).toBeGreaterThan(1);
    expect(refinements).toHaveLength(parts!.length * 2);
    expect(tasks.join('').match(/Line 30:/g)).toHaveLength(2);
    expect(tasks[0]).toMatch(/manual\.md, part 1 of \d.*pass 1 of 2.*Pay attention to this: Sailing\./s);
    expect(tasks.at(-1)).toMatch(/pass 2 of 2/);
    expect(await runtime.sleepTime.request(request!.id)).toMatchObject({
      state: 'done',
      partsDone: refinements.length,
    });
    expect(await readWatermark(runtime.db, pair.partner.id, pair.agent.id)).toBeUndefined();
  });

  it('stores passages after approval, and none of a failed or rejected refinement [sleep.passages]', async () => {
    const pair = await aPair(runtime, { refinement: { review: true } });
    const [toolId] = await resolveTools(runtime.db, { names: ['store_memories'] });
    await attachTool(runtime.db, pair.partner.id, toolId ?? '');
    // The passages belong to the agent, so the partner's own embedding model is not used.
    await updateAgent(runtime.db, pair.partner.id, { embedding: 'nobody/nothing' });
    const store = (context: string) =>
      callOf('store_memories', { chunks: [{ start_index: 0, end_index: 1, context }] });
    const refineAs = async (...answers: readonly ScriptLine[]) => {
      await talk(pair, 'I bought a boat.');
      models.script(...answers);
      return (await byHand(pair)).at(-1)!;
    };
    const stored = async () =>
      (await listPassages(runtime.db, { agentId: pair.agent.id }, {})).map(({ text, embeddingModel }) => [
        text,
        embeddingModel,
      ]);

    const refusal = new WorldFailure('Model.Unauthorized', 'no', { retryable: false, status: 401 });
    const failed = await refineAs(store('Failed.'), refusal);
    const rejected = await refineAs(store('Rejected.'), finish());
    await runtime.sleepTime.reject(rejected.id);
    const approved = await refineAs(store('Approved.'), finish());
    const before = await stored();
    await runtime.sleepTime.approve(approved.id);

    expect([failed.state, rejected.state, approved.state]).toEqual(['failed', 'in_review', 'in_review']);
    expect(before).toEqual([]);
    expect(await stored()).toEqual([['Approved.', pair.agent.embedding]]);
    expect(await runtime.db.selectFrom('refinement_passages').select('id').execute()).toEqual([]);
  });

  it('never delays or fails the agent, and reads the same messages again after a failure [sleep.failure]', async () => {
    const pair = await aPair(runtime, { frequency: 1 });
    await talk(pair, 'Remember the bees.');
    models.script(new WorldFailure('Model.Unauthorized', 'no', { retryable: false, status: 401 }));
    await sweep(runtime);
    const [failed] = await refined(runtime, pair);
    await talk(pair, 'And the honey.');
    models.script(finish());

    await sweep(runtime);
    const refinements = await refined(runtime, pair);

    expect(failed).toMatchObject({
      state: 'failed',
      endedBy: 'error',
      error: { type: 'Model.Unauthorized' },
    });
    expect(refinements.map(({ state }) => state)).toEqual(['failed', 'completed']);
    expect(lastTask(models.requests.at(-1))).toMatch(/bees.*honey/s);
    expect(await committedTokens(runtime.db, failed!.id)).toBe(0);
  });

  it('keeps nothing of a refinement whose turn was cancelled [sleep.failure]', async () => {
    const pair = await aPair(runtime);
    const before = await valueOf(runtime, pair.agent, 'human');
    await talk(pair, 'Hello.');
    const cancelled: { turnId?: string } = {};
    models.script(insert('human', 'Half done.'), async () => {
      const [running] = await runtime.sleepTime.list({ groupId: pair.group.id, states: ['running'] });
      cancelled.turnId = roundTurnId(running!.id, 0);
      await runtime.turns.cancel(cancelled.turnId);
      return new Promise(() => undefined);
    });

    const refinements = await byHand(pair);

    expect(refinements).toMatchObject([{ state: 'failed', error: { type: 'Refinement.Cancelled' } }]);
    expect((await getTurn(runtime.db, cancelled.turnId!))?.state).toBe('cancelled');
    expect(await valueOf(runtime, pair.agent, 'human')).toBe(before);
  });

  it('shares blocks that the agent got later [sleep.partner]', async () => {
    const pair = await aPair(runtime);
    const block = await createBlock(runtime.db, { label: 'tasks', value: 'none' });
    await attachBlock(runtime.db, { agentId: pair.agent.id, blockId: block.id });
    await talk(pair, 'Buy milk.');
    models.script(insert('tasks', '- buy milk'), finish());

    await byHand(pair);

    expect(await valueOf(runtime, pair.agent, 'tasks')).toBe('none\n- buy milk');
  });
});
