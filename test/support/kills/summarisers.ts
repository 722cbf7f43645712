import { describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../core/agents/agents.js';
import { readSummary } from '../../../schema/threads/evictions.js';
import { readThread } from '../../../schema/threads/threads.js';
import { giveAPast } from '../agents/past.js';
import { runCanary } from '../runtime/canary.js';
import { isSummary } from './kill-scenario.js';
import type { OneKill, Scene } from './one-kill.js';
import { haltHalfway } from './roles.js';

/** That a summary is paid for once where the worker is killed, and that a long one is cut off. */
export function describeKilledSummarisers(kill: OneKill): void {
  describe('a summariser in another process', () => {
    const killed = kill.scene('in the second part of a summary', killInSecondPart);
    const rambling = kill.undisturbed(ramble);

    it('that is killed in its second part is not paid for the first one again [eviction.paid-once]', async () => {
      const { turn, asked } = await killed();

      expect(turn).toMatchObject({ stopReason: 'end_turn' });
      expect(asked[2]).toBe(asked[1]);
      expect(asked).toHaveLength(new Set(asked).size + 1);
    });

    it('that does not stop is cut off, and its beginning is used [eviction.rambling]', async () => {
      const { turn, summary } = await rambling();

      expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
      expect(summary).toMatch(/^(And then we talked of it\. ?){50,}$/);
    });
  });
}

async function killInSecondPart(scene: Scene) {
  const { runtime, model } = scene;
  const agent = await anOldAgent(scene);
  const asked: string[] = [];
  model.policy = (request) => {
    if (!isSummary(request)) return { call: 'send_message', args: { message: 'Aye.' } };
    asked.push(JSON.stringify(request.messages));
    return { text: `We spoke of part ${new Set(asked).size}. ${runCanary()}` };
  };
  const inSecondPart = haltHalfway(model, (request) => isSummary(request) && asked.length === 2);
  const messages = [{ role: 'user' as const, content: 'Ahoy.' }];
  const { turn } = await runtime.turns.send({ threadId: agent.id, messages });
  await scene.killed(inSecondPart);
  return { turn: await runtime.turns.result(turn.id), asked };
}

async function ramble(scene: Scene) {
  const { runtime, model } = scene;
  const agent = await anOldAgent(scene);
  model.policy = (request) =>
    isSummary(request)
      ? { text: 'And then we talked of it. '.repeat(3_000) }
      : { call: 'send_message', args: { message: 'Aye.' } };
  // The other half never comes.
  model.onHalfway = (request) => (isSummary(request) ? new Promise(() => undefined) : Promise.resolve());
  const turn = await runtime.tell(agent, 'Ahoy.');
  const thread = await readThread(runtime.db, agent.id);
  return { turn, summary: await readSummary(runtime.db, thread!) };
}

async function anOldAgent({ runtime, model }: Scene): Promise<Agent> {
  const agent = await runtime.anAgent({ model: model.handle, contextWindow: 8_000 });
  await giveAPast(runtime.db, agent, 40, (i) => `Old message ${i}: ${'we talked of the sea. '.repeat(30)}`);
  return agent;
}
