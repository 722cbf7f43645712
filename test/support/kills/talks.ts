import { describe, expect, it } from '@jest/globals';
import { createGroup } from '../../../schema/groups/groups.js';
import { listMessages } from '../../../schema/threads/messages.js';
import { waitFor } from '../../../stack/waiting.js';
import { timeless, untilAsleep } from './kill-scenario.js';
import type { Lane, Lanes } from './lanes.js';
import type { TestRuntime } from '../runtime/runtime.js';

/** Where one worker after the other is killed, in the course of one talk. */
const kills: readonly string[] = [
  // A turn was given, and its agent not woken.
  'after:advanceTalks:1',
  // A turn was closed, and the group not told.
  'before:tellAskers:1',
  // The end is not committed.
  'sql:1:and completed_at is null',
];

/** That a group's talk leaves the same where workers of these lanes are killed in the course of it. */
export function describeKilledTalks(lanes: () => Lanes): void {
  describe('kill -9 of the worker while a group talks', () => {
    it('leaves the same as without it, at every boundary of the talk [talk.killed]', async () => {
      const [undisturbed, disturbed] = await Promise.all(
        lanes()
          .each([[], kills], runTalk)
          .map((run) => run()),
      );

      expect(undisturbed).toMatchObject({ talk: { state: 'completed', stopReason: 'end_turn' }, calls: 3 });
      expect(JSON.stringify(undisturbed)).toMatch(
        /‘Ann’ said.*Reply 1.*‘Bob’ said.*Reply 2|‘Bob’ said.*Reply 2.*‘Ann’ said.*Reply 1/,
      );
      expect(disturbed).toEqual(undisturbed);
    });
  });
}

/** Two agents talk for three turns, with workers that are killed at these points and one that ends it. */
async function runTalk({ runtime, model, ...lane }: Lane, points: readonly string[]): Promise<unknown> {
  const [ann, bob] = await Promise.all(
    ['Ann', 'Bob'].map((name) =>
      runtime.anAgent({
        ...{ name, model: 'openai/scripted', blocks: [], toolNames: ['send_message'] },
        toolRules: [{ kind: 'exit_loop', tool: 'send_message' }],
      }),
    ),
  );
  const group = await createGroup(runtime.db, {
    managerType: 'round_robin',
    agentIds: [ann!.id, bob!.id],
    description: 'Counts.',
    managerConfig: { maxTurns: 3 },
  });
  model.policy = (request) => {
    const heard = [...JSON.stringify(request.messages).matchAll(/Reply (\d)/g)].map(([, count]) =>
      Number(count),
    );
    const message = `Reply ${Math.max(0, ...heard) + 1}`;
    return { call: 'send_message', args: { thinking: 'Next.', message } };
  };
  const askedBefore = model.requests.length;
  await lane.worker().arm(points[0] ?? '');
  const { talk } = await runtime.talks.send({
    groupId: group.id,
    messages: [{ role: 'user', content: 'Begin to count.' }],
  });
  for (const [index] of points.entries()) {
    await lane.worker().frozen;
    await lane.replaceWorker(points[index + 1]);
  }
  const { state, stopReason } = await runtime.talks.result(talk.id);
  const transcripts = [];
  for (const agent of [ann!, bob!]) {
    transcripts.push(await transcriptOf(runtime, agent.id));
    await untilAsleep(runtime, agent);
  }
  return { talk: { state, stopReason }, transcripts, calls: model.requests.length - askedBefore };
}

/** What the agent has heard and said, once what came last has reached it too. */
async function transcriptOf(runtime: TestRuntime, threadId: string): Promise<readonly unknown[]> {
  const read = async () => {
    const messages = await listMessages(runtime.db, { threadId }, {});
    return JSON.stringify(messages).includes('Reply 3') ? messages : undefined;
  };
  const messages = (await waitFor(read, { timeoutMs: 90_000 })) ?? [];
  return messages.map(({ body }) => timeless(body));
}
