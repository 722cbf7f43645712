import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGroup } from '../../schema/groups/groups.js';
import { listMessages } from '../../schema/threads/messages.js';
import { waitFor } from '../../stack/waiting.js';
import { timeless, workerEnvironment } from '../support/kill-scenario.js';
import { startModelServer } from '../support/model-server.js';
import { startRuntime, type TestRuntime } from '../support/runtime.js';
import { createScriptedModels } from '../support/scripted-model.js';
import { spawnWorker, type WorkerProcess } from '../support/worker-process.js';

/** Where one worker after the other is killed, in the course of one talk. */
const kills: readonly string[] = [
  // A turn was given, and its agent not woken.
  'after:advanceTalks:1',
  // A turn was closed, and the group not told.
  'before:tellAskers:1',
  // The end is not committed.
  'sql:1:and completed_at is null',
];

describe('kill -9 of the worker while a group talks', () => {
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models: createScriptedModels() });
  });

  afterAll(async () => {
    await runtime.close();
  });

  it('leaves the same as without it, at every boundary of the talk [talk.killed]', async () => {
    const undisturbed = await runTalk(runtime, []);
    const disturbed = await runTalk(runtime, kills);

    expect(undisturbed).toMatchObject({ talk: { state: 'completed', stopReason: 'end_turn' }, calls: 3 });
    expect(JSON.stringify(undisturbed)).toMatch(
      /‘Ann’ said.*Reply 1.*‘Bob’ said.*Reply 2|‘Bob’ said.*Reply 2.*‘Ann’ said.*Reply 1/,
    );
    expect(disturbed).toEqual(undisturbed);
  });
});

/** Two agents talk for three turns, with workers that are killed at these points and one that ends it. */
async function runTalk(runtime: TestRuntime, points: readonly string[]): Promise<unknown> {
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
  const model = await startModelServer((request) => {
    const heard = [...JSON.stringify(request.messages).matchAll(/Reply (\d)/g)].map(([, count]) =>
      Number(count),
    );
    return {
      call: 'send_message',
      args: { thinking: 'Next.', message: `Reply ${Math.max(0, ...heard) + 1}` },
    };
  });
  const env = workerEnvironment(runtime, model);
  const workers: WorkerProcess[] = [];
  const next = (point: string): WorkerProcess => {
    const worker = spawnWorker({ ...env, FREEZE_AT: point });
    workers.push(worker);
    return worker;
  };
  try {
    let current = next(points[0] ?? '');
    await current.ready;
    const { talk } = await runtime.talks.send({
      groupId: group.id,
      messages: [{ role: 'user', content: 'Begin to count.' }],
    });
    for (const [index] of points.entries()) {
      await current.frozen;
      const successor = next(points[index + 1] ?? '');
      await successor.ready;
      await current.kill();
      current = successor;
    }
    const { state, stopReason } = await runtime.talks.result(talk.id);
    const transcripts = [];
    for (const agent of [ann!, bob!]) transcripts.push(await transcriptOf(runtime, agent.id));
    return { talk: { state, stopReason }, transcripts, calls: model.requests.length };
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()));
    await model.close();
  }
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
