import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../core/agents/agents.js';
import { messageText } from '../../../core/threads/messages.js';
import { wordsSaid } from '../../../core/threads/spoken-words.js';
import { listMessages } from '../../../schema/threads/messages.js';
import { isChaos } from '../chaos.js';
import type { Point } from '../points.js';
import type { OneKill, Scene } from './one-kill.js';
import type { ChatRequest, Reply } from '../model-server.js';
import type { TestRuntime } from '../runtime/runtime.js';

/** Fewer show the same. */
const size = isChaos ? 200 : 12;

const half = size / 2;
/** Where the worker is killed. */
const kills: readonly (readonly [when: string, point: Point])[] = [
  ['when half of them were asked', { sql: 'commit', within: 'askAgents', nth: half }],
  ['when half of them have answered', { before: 'tellAskers', nth: half }],
];

const askByTags = 'send_message_to_agents_matching_tags';

/** That a crowd which is asked at once answers once, though the worker is killed meanwhile. */
export function describeKilledCrowds(kill: OneKill): void {
  describe(`an agent that asks ${size} others at once`, () => {
    const runs = kills.map(([when, point]) => {
      return { when, killed: kill.scene(`a crowd, ${when}`, (scene) => askCrowd(scene, point)) };
    });

    it.each(runs)(
      'is answered by each of them once, though the worker is killed $when [agents.crowd-killed]',
      async ({ killed }) => {
        const { ended, replies, crowd, transcripts } = await killed();

        expect(ended).toMatchObject({ state: 'completed', steps: 2 });
        expect(replies).toEqual(crowd.map(({ id }) => `${id}: present`).sort());
        expect(transcripts).toEqual(crowd.map(() => ['asked', 'present']));
      },
      600_000,
    );
  });
}

async function askCrowd(scene: Scene, point: Point) {
  const { runtime, model } = scene;
  const tag = `crowd-${randomUUID()}`;
  const anAgent = (tags: readonly string[]): Promise<Agent> =>
    runtime.anAgent({
      ...{ tags: [...tags], model: model.handle, blocks: [], contextWindow: 1_000_000 },
      ...{ toolNames: ['send_message', askByTags] },
      toolRules: [{ kind: 'exit_loop', tool: 'send_message' }],
    });
  const asker = await anAgent([]);
  const crowd = await Promise.all(Array.from({ length: size }, () => anAgent([tag])));
  model.policy = (request) => replyOf(request, tag);
  await scene.stopAt(
    point,
    [asker, ...crowd].map(({ id }) => id),
  );
  const { turn } = await runtime.turns.send({
    threadId: asker.id,
    messages: [{ role: 'user', content: 'Call the roll.' }],
  });
  await scene.killed();
  const ended = await runtime.turns.result(turn.id);
  const transcripts = [];
  for (const { id } of crowd) transcripts.push(await transcriptOf(runtime, id));
  return { ended, replies: await repliesTo(runtime, asker), crowd, transcripts };
}

function replyOf(request: ChatRequest, tag: string): Reply {
  const said = JSON.stringify(request.messages);
  if (said.includes('Incoming message')) return { call: 'send_message', args: { message: 'present' } };
  if (said.includes('"role":"tool"')) return { call: 'send_message', args: { message: 'All are here.' } };
  const args = { message: 'Who is here?', match_all: [tag], match_some: [], request_heartbeat: true };
  return { call: askByTags, args };
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
