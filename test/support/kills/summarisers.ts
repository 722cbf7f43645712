import { describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../core/agents/agents.js';
import { readSummary } from '../../../schema/threads/evictions.js';
import { readThread } from '../../../schema/threads/threads.js';
import { giveAPast } from '../agents/past.js';
import type { ChatRequest } from '../model-server.js';
import { runCanary } from '../runtime/canary.js';
import type { TestRuntime } from '../runtime/runtime.js';
import { untilAsleep } from './kill-scenario.js';
import type { Lane, Lanes } from './lanes.js';

/** That a summary is paid for once where a worker of these lanes is killed, and that a long one is cut off. */
export function describeKilledSummarisers(lanes: () => Lanes): void {
  describe('a summariser in another process', () => {
    it('that is killed in its second part is not paid for the first one again [eviction.paid-once]', async () => {
      const [run] = lanes().each(['Ahoy.'], killInSecondPart);
      const { turn, asked } = await run!();

      expect(turn).toMatchObject({ stopReason: 'end_turn' });
      expect(asked[2]).toBe(asked[1]);
      expect(asked).toHaveLength(new Set(asked).size + 1);
    });

    it('that does not stop is cut off, and its beginning is used [eviction.rambling]', async () => {
      const [run] = lanes().each(['Ahoy.'], ramble);
      const { turn, summary } = await run!();

      expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
      expect(summary).toMatch(/^(And then we talked of it\. ?){50,}$/);
    });
  });
}

async function killInSecondPart({ runtime, model, ...lane }: Lane, said: string) {
  const agent = await anOldAgent(runtime);
  const asked: string[] = [];
  model.policy = (request) => {
    if (!isSummaryRequest(request)) return { call: 'send_message', args: { message: 'Aye.' } };
    asked.push(JSON.stringify(request.messages));
    return { text: `We spoke of part ${new Set(asked).size}. ${runCanary()}` };
  };
  const inSecondPart = new Promise<void>((resolve) => {
    model.onHalfway = (request) => {
      if (!isSummaryRequest(request) || asked.length < 2) return Promise.resolve();
      resolve();
      return new Promise(() => undefined);
    };
  });
  await lane.worker().arm('');
  const { turn } = await runtime.turns.send({
    threadId: agent.id,
    messages: [{ role: 'user', content: said }],
  });
  await inSecondPart;
  await lane.replaceWorker();
  model.onHalfway = undefined;
  const ended = await runtime.turns.result(turn.id);
  await untilAsleep(runtime, agent);
  return { turn: ended, asked };
}

async function ramble({ runtime, model, ...lane }: Lane, said: string) {
  const agent = await anOldAgent(runtime);
  model.policy = (request) =>
    isSummaryRequest(request)
      ? { text: 'And then we talked of it. '.repeat(3_000) }
      : { call: 'send_message', args: { message: 'Aye.' } };
  // The other half never comes.
  model.onHalfway = (request) =>
    isSummaryRequest(request) ? new Promise(() => undefined) : Promise.resolve();
  await lane.worker().arm('');
  const turn = await runtime.tell(agent, said);
  await untilAsleep(runtime, agent);
  model.onHalfway = undefined;
  const thread = await readThread(runtime.db, agent.id);
  return { turn, summary: await readSummary(runtime.db, thread!) };
}

function isSummaryRequest(request: ChatRequest): boolean {
  return (request.tools ?? []).length === 0;
}

async function anOldAgent(runtime: TestRuntime): Promise<Agent> {
  const agent = await runtime.anAgent({ model: 'openai/scripted', contextWindow: 8_000 });
  await giveAPast(runtime.db, agent, 40, (i) => `Old message ${i}: ${'we talked of the sea. '.repeat(30)}`);
  return agent;
}
