import { describe, expect, it } from '@jest/globals';
import { createGroup } from '../../../schema/groups/groups.js';
import { listMessages } from '../../../schema/threads/messages.js';
import { waitFor } from '../../../stack/waiting.js';
import type { Point } from '../points.js';
import type { TestRuntime } from '../runtime/runtime.js';
import { timeless } from './kill-scenario.js';
import type { OneKill, Scene } from './one-kill.js';

/** Where the worker is killed. */
const kills: readonly (readonly [when: string, point: Point])[] = [
  ['with a turn given and its agent not woken', { after: 'advanceTalks' }],
  ['with a turn closed and the group not told', { before: 'tellAskers' }],
  ['with the end not committed', { sql: 'and completed_at is null' }],
];

/** That a group's talk leaves the same where the worker is killed in the course of it. */
export function describeKilledTalks(kill: OneKill): void {
  describe('kill -9 of the worker while a group talks', () => {
    const undisturbed = kill.undisturbed(runTalk);
    const runs = kills.map(([when, point]) => {
      return { when, killed: kill.scene(`a talk, ${when}`, (scene) => runTalk(scene, point)) };
    });

    it('is a talk in which each hears what the other says', async () => {
      const left = await undisturbed();
      expect(left).toMatchObject({ talk: { state: 'completed', stopReason: 'end_turn' }, calls: 3 });
      expect(JSON.stringify(left)).toMatch(
        /‘Ann’ said.*Reply 1.*‘Bob’ said.*Reply 2|‘Bob’ said.*Reply 2.*‘Ann’ said.*Reply 1/,
      );
    });

    it.each(runs)('leaves the same as without it $when [talk.killed]', async ({ killed }) => {
      expect(await killed()).toEqual(await undisturbed());
    });
  });
}

/** Two agents talk for three turns; the worker is killed at a point, and the next one takes over. */
async function runTalk(scene: Scene, point?: Point) {
  const { runtime, model } = scene;
  const [ann, bob] = await Promise.all(
    ['Ann', 'Bob'].map((name) =>
      runtime.anAgent({
        ...{ name, model: model.handle, blocks: [], toolNames: ['send_message'] },
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
  if (point !== undefined) await scene.stopAt(point, [group.id, ann!.id, bob!.id]);
  const { talk } = await runtime.talks.send({
    groupId: group.id,
    messages: [{ role: 'user', content: 'Begin to count.' }],
  });
  if (point !== undefined) await scene.killed();
  const { state, stopReason } = await runtime.talks.result(talk.id);
  const transcripts = [await transcriptOf(runtime, ann!.id), await transcriptOf(runtime, bob!.id)];
  return { talk: { state, stopReason }, transcripts, calls: model.requests.length };
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
