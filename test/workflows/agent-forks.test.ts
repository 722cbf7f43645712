import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createAgents } from '../../client/agents.js';
import type { Agent } from '../../core/agents/agents.js';
import type { ModelAnswer, ModelRequest } from '../../core/models/model.js';
import { attachBlock, detachBlock, getAgentBlock } from '../../schema/blocks/agent-blocks.js';
import { forkAgent } from '../../schema/past/forks.js';
import { changeBlock } from '../../schema/blocks/changes.js';
import { createBlock } from '../../schema/blocks/blocks.js';
import { deletePassage, listPassages } from '../../schema/archives/passages.js';
import { type AgentState, stateOf } from '../support/agents/agent-state.js';
import { giveAPast } from '../support/agents/past.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';
import { testVault } from '../support/runtime/vault.js';

describe('a fork of an agent', () => {
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

  /** Pseudo-random numbers in [0, 1) from a seed. */
  const randomNumbers = (seed: number) => () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };

  const long = 'we talked of the sea. '.repeat(20);

  /** Random actions of the agent in its steps, and of others meanwhile. */
  function randomActions(agent: Agent, random: () => number) {
    const { db } = runtime;
    const pick = <T>(options: readonly T[]): T => options[Math.floor(random() * options.length)]!;
    let serial = 0;
    const next = () => `${(serial += 1)}: ${long}`;
    const heartbeat = { request_heartbeat: true };
    const own = (): Partial<ModelAnswer> =>
      pick([
        () => callOf('core_memory_append', { label: 'human', content: next(), ...heartbeat }),
        () =>
          callOf('core_memory_replace', {
            label: 'human',
            old_content: 'sea',
            new_content: 'land',
            ...heartbeat,
          }),
        () => callOf('archival_memory_insert', { content: next(), ...heartbeat }),
        () => callOf('core_memory_append', { label: 'nothing', content: next(), ...heartbeat }),
      ])();
    const others = () =>
      pick([
        () => Promise.resolve(),
        async () => {
          const { id } = await getAgentBlock(db, agent.id, 'human');
          await changeBlock(db, { blockId: id, operation: { kind: 'set', value: next() }, actor: 'user' });
        },
        async () => {
          const passage = pick([...(await listPassages(db, { agentId: agent.id }, {})), undefined]);
          if (passage !== undefined) await deletePassage(db, agent.id, passage.id);
        },
        async () => {
          const { id } = await createBlock(db, { label: `extra ${serial + 1}`, value: next() });
          await attachBlock(db, { agentId: agent.id, blockId: id });
        },
        async () => {
          const { id } = await getAgentBlock(db, agent.id, 'persona').catch(() => ({ id: '' }));
          if (id !== '') await detachBlock(db, agent.id, id);
        },
      ])();
    return { own, others };
  }

  it.each([1, 2])(
    'has the memory of any step of a random run (seed %i) [fork.as-of-step]',
    async (seed) => {
      const random = randomNumbers(seed);
      const agent = await runtime.anAgent({
        contextWindow: 12_000,
        blocks: [
          { label: 'human', value: 'Sid', limit: 100_000 },
          { label: 'persona', value: 'Sam' },
        ],
      });
      await giveAPast(runtime.db, agent, 12, (index) => `Old ${index}: ${long}`);
      const recorded: AgentState[] = [];
      const { own, others } = randomActions(agent, random);
      const turns = 4;
      let steps = 0;
      const line = async (request: ModelRequest): Promise<Partial<ModelAnswer>> => {
        // The first request after a step sees what the step left.
        if (steps > recorded.length) recorded.push(await stateOf(runtime.db, agent.id));
        if (request.tools.length === 0) return { text: 'We talked of the sea.' };
        steps += 1;
        await others();
        return random() < 0.3 ? saying('aye') : own();
      };
      models.script(...Array.from({ length: 200 }, () => line));
      for (let turn = 0; turn < turns; turn += 1) {
        const { turn: sent } = await runtime.turns.send({
          threadId: agent.id,
          messages: [{ role: 'user', content: `Turn ${turn}. ${long}` }],
          options: { maxSteps: 6 },
        });
        await runtime.turns.result(sent.id);
        recorded.push(await stateOf(runtime.db, agent.id));
      }
      models.drop();

      const rows = await runtime.db
        .selectFrom('steps')
        .select('id')
        .where('agent_id', '=', agent.id)
        .orderBy('created_at')
        .execute();
      expect(rows).toHaveLength(recorded.length);
      expect(new Set(recorded.map((state) => state.queueStart)).size).toBeGreaterThan(1);
      const after = await stateOf(runtime.db, agent.id);
      for (const [index, { id }] of rows.entries()) {
        const fork = await forkAgent(runtime.db, testVault, {
          agentId: agent.id,
          moment: { kind: 'step', stepId: id },
        });
        expect([index, await stateOf(runtime.db, fork.id)]).toEqual([index, recorded[index]]);
      }
      expect(await stateOf(runtime.db, agent.id)).toEqual(after);
    },
    // It forks every step, which takes a while on a loaded machine.
    180_000,
  );

  it('answers with its own memory and does not affect the original [fork.lives] [fork.isolated]', async () => {
    const agent = await runtime.anAgent();
    models.script(
      callOf('core_memory_append', { label: 'human', content: 'Likes tea.', request_heartbeat: true }),
      saying('Tea, noted.'),
      callOf('core_memory_replace', {
        ...{
          label: 'human',
          old_content: 'Likes tea.',
          new_content: 'Likes coffee.',
          request_heartbeat: true,
        },
      }),
      saying('Coffee then.'),
    );
    await runtime.tell(agent, 'I like tea.');
    const before = await stateOf(runtime.db, agent.id);
    await runtime.tell(agent, 'No, coffee.');
    const now = await stateOf(runtime.db, agent.id);
    const [, answer] = await runtime.db
      .selectFrom('steps')
      .select('id')
      .where('agent_id', '=', agent.id)
      .orderBy('created_at')
      .execute();

    const defaults = { agentType: 'memgpt_agent', embedding: 'perdure/use-lite' } as const;
    const fork = await createAgents(runtime.db, testVault, defaults).fork({
      agentId: agent.id,
      name: 'Sam of old',
      moment: { kind: 'step', stepId: answer!.id },
    });
    expect(await stateOf(runtime.db, fork.id)).toEqual(before);
    models.script(
      callOf('core_memory_append', { label: 'human', content: 'From the fork.', request_heartbeat: true }),
      saying('Tea.'),
    );
    await runtime.tell(fork, 'What do I like?');

    const asked = JSON.stringify(models.requests.at(-2)?.messages);
    expect(asked).toContain('Likes tea.');
    expect(asked).toContain('Tea, noted.');
    expect(asked).not.toContain('Coffee then.');
    expect(fork).toMatchObject({ name: 'Sam of old', system: agent.system, model: agent.model });
    expect(await stateOf(runtime.db, agent.id)).toEqual(now);
  });
});
