import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../core/agents/agents.js';
import { messageText } from '../../../core/threads/messages.js';
import { wordsSaid } from '../../../core/threads/spoken-words.js';
import { listMessages } from '../../../schema/threads/messages.js';
import { waitFor } from '../../../stack/waiting.js';
import { isChaos } from '../chaos.js';
import { untilAsleep } from './kill-scenario.js';
import type { Lane, Lanes } from './lanes.js';
import type { ChatRequest, Reply } from '../model-server.js';
import type { TestRuntime } from '../runtime/runtime.js';

/** The smaller one shows the same. */
const size = isChaos ? { agents: 200, kills: 2 } : { agents: 24, kills: 1 };

const askByTags = 'send_message_to_agents_matching_tags';
const tag = `crowd-${randomUUID()}`;

/** That a crowd which is asked at once answers once, though workers of one of these lanes are killed meanwhile. */
export function describeKilledCrowds(lanes: () => Lanes): void {
  describe(`an agent that asks ${size.agents} others at once, while workers are killed`, () => {
    it('is answered by each of them once [agents.crowd-killed]', async () => {
      const [run] = lanes().each([size.kills], askCrowd);
      const { ended, replies, crowd, transcripts, seconds } = await run!();

      expect(ended).toMatchObject({ state: 'completed', steps: 2 });
      expect(replies).toEqual(crowd.map(({ id }) => `${id}: present`).sort());
      expect(transcripts).toEqual(crowd.map(() => ['asked', 'present']));
      process.stdout.write(`${size.agents} answers in ${seconds} s\n`);
    }, 600_000);
  });
}

async function askCrowd({ runtime, model, ...lane }: Lane, kills: number) {
  const anAgent = (tags: readonly string[]): Promise<Agent> =>
    runtime.anAgent({
      ...{ tags: [...tags], model: 'openai/scripted', blocks: [], contextWindow: 1_000_000 },
      ...{ toolNames: ['send_message', askByTags] },
      toolRules: [{ kind: 'exit_loop', tool: 'send_message' }],
    });
  const asker = await anAgent([]);
  const crowd = await Promise.all(Array.from({ length: size.agents }, () => anAgent([tag])));
  model.policy = replyOf;
  // The first worker dies when half of them were asked.
  await lane.worker().arm(`sql:${size.agents / 2}:insert into edges`);
  const startedAt = Date.now();
  const { turn } = await runtime.turns.send({
    threadId: asker.id,
    messages: [{ role: 'user', content: 'Call the roll.' }],
  });
  await lane.worker().frozen;
  for (let kill = 0; kill < kills; kill += 1) {
    if (kill > 0) await answered(runtime, turn.id, (kill * size.agents) / kills);
    await lane.replaceWorker();
  }
  const ended = await runtime.turns.result(turn.id);
  const seconds = (Date.now() - startedAt) / 1_000;
  const transcripts = [];
  for (const { id } of crowd) transcripts.push(await transcriptOf(runtime, id));
  for (const agent of [asker, ...crowd]) await untilAsleep(runtime, agent);
  return { ended, replies: await repliesTo(runtime, asker), crowd, transcripts, seconds };
}

function replyOf(request: ChatRequest): Reply {
  const said = JSON.stringify(request.messages);
  if (said.includes('Incoming message')) return { call: 'send_message', args: { message: 'present' } };
  if (said.includes('"role":"tool"')) return { call: 'send_message', args: { message: 'All are here.' } };
  const args = { message: 'Who is here?', match_all: [tag], match_some: [], request_heartbeat: true };
  return { call: askByTags, args };
}

/** Waits until so many have answered. */
async function answered(runtime: TestRuntime, turnId: string, count: number): Promise<void> {
  const isThere = async (): Promise<true | undefined> => {
    const edges = await runtime.db
      .selectFrom('edges')
      .select('to_agent')
      .where('from_turn', '=', turnId)
      .where('state', '=', 'answered')
      .execute();
    return edges.length >= count ? true : undefined;
  };
  if ((await waitFor(isThere, { timeoutMs: 120_000, everyMs: 20 })) === undefined) {
    throw new Error(`Not even ${count} agents answered.`);
  }
}

async function repliesTo(runtime: TestRuntime, asker: Agent): Promise<readonly string[]> {
  const [result] = await listMessages(runtime.db, { threadId: asker.id, kinds: ['tool'] }, {});
  const replies = JSON.parse(result === undefined ? '[]' : messageText(result.body)) as {
    readonly agent_id: string;
    readonly response?: readonly string[];
    readonly error?: string;
  }[];
  return replies.map(({ agent_id: id, response, error }) => `${id}: ${response?.join() ?? error}`).sort();
}

/** What an agent was asked and said. */
async function transcriptOf(runtime: TestRuntime, threadId: string): Promise<readonly string[]> {
  const messages = await listMessages(runtime.db, { threadId }, {});
  return messages.flatMap(({ body }) => (body.kind === 'system' ? ['asked'] : wordsSaid(body, 'tools')));
}
