import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { listRevisions } from '../../../schema/blocks/revisions.js';
import { listMessages } from '../../../schema/threads/messages.js';
import { pruneTurns } from '../../../schema/turns/retention.js';
import { saveStepFeedback } from '../../../schema/turns/step-feedback.js';
import { listSteps } from '../../../schema/turns/steps.js';
import { readEvents } from '../../../schema/turns/events.js';
import { requireTurn, turnUsage } from '../../../schema/turns/turns.js';
import { sweep } from '../../../worker/sweep.js';
import { startRuntime, type TestRuntime } from '../../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../../support/models/scripted-model.js';

const dayMs = 24 * 60 * 60 * 1000;

describe('the steps of finished turns', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker();
  });

  afterAll(async () => {
    await runtime.close();
  });

  /** A turn of two steps that ended ten days ago, in an epoch that is over. */
  async function anOldTurn(): Promise<{ turnId: string; agentId: string }> {
    const agent = await runtime.anAgent();
    models.script(
      {
        ...callOf('core_memory_append', {
          label: 'human',
          content: 'Likes the sea.',
          request_heartbeat: true,
        }),
        usage: {
          promptTokens: 10,
          completionTokens: 2,
          totalTokens: 12,
          cachedTokens: 0,
          reasoningTokens: 0,
        },
      },
      saying('Noted.'),
    );
    const { id: turnId } = await runtime.tell(agent, 'I like the sea.');
    await sql`update turns set completed_at = completed_at - interval '10 days' where id = ${turnId}`.execute(
      runtime.db,
    );
    await sql`
      update steps set created_at = created_at - interval '10 days', epoch_id = 'an earlier one'
      where turn_id = ${turnId}`.execute(runtime.db);
    return { turnId, agentId: agent.id };
  }

  const before = (days: number): Date => new Date(Date.now() - days * dayMs);
  const stepsOf = (turnId: string) => listSteps(runtime.db, { turnId }, {});

  it('[scale.retention] are deleted after their time, with effects and log; messages, revisions and usage stay', async () => {
    const { turnId, agentId } = await anOldTurn();
    const read = async () => ({
      turn: await requireTurn(runtime.db, turnId),
      usage: await turnUsage(runtime.db, turnId),
      messages: await listMessages(runtime.db, { threadId: agentId }, {}),
      revisions: await Promise.all(
        (
          await sql<{
            id: string;
          }>`select block_id as id from agent_blocks where agent_id = ${agentId}`.execute(runtime.db)
        ).rows.map(({ id }) => listRevisions(runtime.db, id, {})),
      ),
    });
    const was = await read();

    expect(await pruneTurns(runtime.db, before(11))).toBe(0);
    expect(await stepsOf(turnId)).toHaveLength(2);
    expect(await pruneTurns(runtime.db, before(9))).toBe(2);

    expect(await stepsOf(turnId)).toEqual([]);
    expect(
      await runtime.db.selectFrom('effects').selectAll().where('turn_id', '=', turnId).execute(),
    ).toEqual([]);
    expect((await readEvents(runtime.db, turnId, 0)).map(({ event }) => event.kind)).toEqual(['ended']);
    expect(was.usage.totalTokens).toBe(12);
    expect(await read()).toEqual(was);
  });

  it('[scale.retention] stay while something refers to them, or while they show the thread’s current context', async () => {
    const [asked, said, current] = [await anOldTurn(), await anOldTurn(), await anOldTurn()];
    await sql`update effects set state = 'awaiting' where turn_id = ${asked.turnId}`.execute(runtime.db);
    const [first] = await stepsOf(said.turnId);
    await saveStepFeedback(runtime.db, first?.id ?? '', { feedback: 'positive', tags: [] });
    await sql`
      update steps set epoch_id = threads.epoch_id from threads
      where threads.id = steps.thread_id and turn_id = ${current.turnId}`.execute(runtime.db);

    await pruneTurns(runtime.db, before(9));

    const kept = await Promise.all([asked, said, current].map(({ turnId }) => stepsOf(turnId)));
    expect(kept.map((steps) => steps.length)).toEqual([2, 1, 2]);
  });

  it('[scale.retention] are kept for ever when no time is set', async () => {
    const { turnId } = await anOldTurn();

    await sweep(runtime);
    const kept = (await stepsOf(turnId)).length;
    await sweep({ ...runtime, stepsKeptMs: 9 * dayMs });

    expect({ kept, then: (await stepsOf(turnId)).length }).toEqual({ kept: 2, then: 0 });
  });
});
