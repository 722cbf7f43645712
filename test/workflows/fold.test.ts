import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { Activities } from '../../activities/index.js';
import type { BegunTurn } from '../../activities/begin-turn.js';
import { getAgentBlock } from '../../schema/agent-blocks.js';
import { listMessages } from '../../schema/messages.js';
import { readEvents } from '../../schema/turn-events.js';
import { failInserts } from '../support/faults.js';
import { activitiesOf, fetchHistories } from '../support/histories.js';
import { startRuntime, type TestRuntime } from '../support/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/scripted-model.js';

const append = (content: string) =>
  callOf('core_memory_append', { label: 'human', content, request_heartbeat: true });

/** The same vector for every text. */
const instantEmbeddings = {
  resolve: (handle: string) => ({
    description: { handle, provider: 'scripted', model: 'scripted', dimensions: 3 },
    embed: (texts: readonly string[]) => Promise.resolve(texts.map(() => [1, 0, 0])),
  }),
};

describe('a model call with all that follows from its answer', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({
      models,
      embeddings: instantEmbeddings,
      toolTimeoutMs: 1_500,
      goOnForMs: 60_000,
    });
  });

  afterAll(async () => {
    await runtime.close();
  });

  const transcript = async (threadId: string) =>
    (await listMessages(runtime.db, { threadId }, { order: 'asc' })).map(({ body }) => body);

  /** The transactions that wrote these rows: a row's `xmin` is the one that wrote its version. */
  const transactionsOf = async (stepId: string, turnId: string) => {
    const { rows } = await sql<{ what: string; by: string }>`
      select 'message' as what, xmin::text as by from messages where step_id = ${stepId} and kind in ('assistant', 'tool')
      union all select 'effect', xmin::text from effects where step_id = ${stepId}
      union all select 'revision', xmin::text from block_revisions where step_id = ${stepId}
      union all select 'step', xmin::text from steps where id = ${stepId}
      union all select 'turn', xmin::text from turns where id = ${turnId} and state = 'completed'
      union all select 'delivery', xmin::text from deliveries where turn_id = ${turnId} and state = 'done'
      union all select 'end', xmin::text from turn_events where turn_id = ${turnId} and event->>'kind' = 'ended'`.execute(
      runtime.db,
    );
    return rows;
  };

  const stepsOf = async (turnId: string) =>
    runtime.db.selectFrom('steps').select('id').where('turn_id', '=', turnId).orderBy('index').execute();

  it('is one transaction: the answer, its tool, the block, and the end of the turn that it ends [fold.together]', async () => {
    const agent = await runtime.anAgent({ blocks: [{ label: 'human', value: 'Their name is Sid.' }] });
    models.script(append('Has a boat.'), saying('Noted.'));
    const worker = await runtime.startWorker();

    const turn = await runtime.tell(agent, 'I have a boat.');
    await worker.stop();

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 2 });
    const [first, last] = await stepsOf(turn.id);
    const ofFirst = (await transactionsOf(first!.id, '')).filter(({ what }) => what !== 'turn');
    expect(ofFirst.map(({ what }) => what)).toEqual(['message', 'message', 'effect', 'revision', 'step']);
    expect(new Set(ofFirst.map(({ by }) => by)).size).toBe(1);
    const ofLast = await transactionsOf(last!.id, turn.id);
    expect(ofLast.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['message', 'effect', 'step', 'turn', 'delivery', 'end']),
    );
    expect(new Set(ofLast.map(({ by }) => by)).size).toBe(1);
    const [history] = await fetchHistories(runtime.temporal, [agent.id]);
    expect(activitiesOf(history!)).toEqual(['beginTurn']);
  });

  it('says the same when it is run again, and does nothing twice [fold.repeated]', async () => {
    const agent = await runtime.anAgent({ blocks: [{ label: 'human', value: 'Their name is Sid.' }] });
    const asked = models.requests.length;
    models.script(append('Has a boat.'), saying('Noted.'));
    const verdicts: BegunTurn[] = [];
    const worker = await runtime.startWorker({
      wrap: (activities): Activities => ({
        ...activities,
        // As where the end of the first try was not heard of.
        beginTurn: async (input) => {
          verdicts.push(await activities.beginTurn(input));
          const again = await activities.beginTurn(input);
          verdicts.push(again);
          return again;
        },
      }),
    });

    const turn = await runtime.tell(agent, 'I have a boat.');
    await worker.stop();

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 2 });
    expect(models.requests.length).toBe(asked + 2);
    const appended = {
      kind: 'answered',
      calls: [{ name: 'core_memory_append', requestedHeartbeat: true, runs: 'quickly', ran: 'success' }],
    };
    const closed = { kind: 'closed', stopReason: 'end_turn', more: false };
    expect(verdicts).toMatchObject([
      { claim: { turnId: turn.id }, steps: { ...closed, calls: ['send_message'], earlier: [appended] } },
      { claim: { turnId: turn.id }, steps: { ...closed, calls: [] } },
    ]);
    expect(await getAgentBlock(runtime.db, agent.id, 'human')).toMatchObject({
      value: 'Their name is Sid.\nHas a boat.',
      revision: 2,
    });
    expect((await transcript(agent.id)).filter(({ kind }) => kind === 'tool')).toHaveLength(2);
    const events = await readEvents(runtime.db, turn.id, 0);
    expect(events.filter(({ event }) => event.kind === 'ended')).toHaveLength(1);
  });

  it('stores the answer alone where a tool fails beside it, and the tool is run by itself [fold.alone] [turn.quick-work]', async () => {
    const agent = await runtime.anAgent({ blocks: [{ label: 'human', value: 'Their name is Sid.' }] });
    const asked = models.requests.length;
    // Beside the answer, then three quick tries: the fifth is an ordinary activity.
    const tried = await failInserts(runtime.db, 'block_revisions', 4);
    models.script(append('Has a boat.'), saying('Noted.'));
    const worker = await runtime.startWorker();

    const turn = await runtime.tell(agent, 'I have a boat.');
    await worker.stop();

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 2 });
    expect(models.requests.length).toBe(asked + 2);
    expect(await tried()).toBe(5);
    expect(await getAgentBlock(runtime.db, agent.id, 'human')).toMatchObject({
      value: 'Their name is Sid.\nHas a boat.',
      revision: 2,
    });
    const [history] = await fetchHistories(runtime.temporal, [agent.id]);
    expect(activitiesOf(history!).filter((name) => name === 'runTool')).toEqual(['runTool', 'runTool']);
  });

  it('gives a tool up that fails whenever it is tried, and the agent goes on [turn.tool-fault]', async () => {
    const agent = await runtime.anAgent({ blocks: [{ label: 'human', value: 'Their name is Sid.' }] });
    await failInserts(runtime.db, 'block_revisions', 1_000);
    models.script(append('Has a boat.'), saying('I could not write that down.'));
    const worker = await runtime.startWorker();

    const turn = await runtime.tell(agent, 'I have a boat.');
    await worker.stop();
    await failInserts(runtime.db, 'block_revisions', 0);

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 2 });
    expect(await transcript(agent.id)).toContainEqual(
      expect.objectContaining({
        kind: 'tool',
        status: 'error',
        content: "core_memory_append failed on the server's side, and nothing was changed. Do without it.",
      }),
    );
    expect(await getAgentBlock(runtime.db, agent.id, 'human')).toMatchObject({ revision: 1 });
  });

  it('leaves the calls behind a waiting one to the workflow, in their order [fold.together]', async () => {
    const agent = await runtime.anAgent({ blocks: [{ label: 'human', value: 'Their name is Sid.' }] });
    models.script({
      toolCalls: [
        append('Has a boat.'),
        callOf('archival_memory_insert', { content: 'The boat is called Aurora.' }),
        saying('Noted.'),
      ].flatMap(({ toolCalls }) => toolCalls),
    });
    const worker = await runtime.startWorker();

    const turn = await runtime.tell(agent, 'I have a boat.');
    await worker.stop();

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'tool_rule', steps: 1 });
    const [history] = await fetchHistories(runtime.temporal, [agent.id]);
    expect(activitiesOf(history!)).toEqual(['beginTurn', 'runTool', 'runTool', 'settleTurn']);
    expect(
      (await transcript(agent.id)).map((body) => (body.kind === 'tool' ? body.toolName : body.kind)),
    ).toEqual(['user', 'assistant', 'core_memory_append', 'archival_memory_insert', 'send_message']);
  });

  it('lets no execution grow with a conversation whose answers come at once [fold.bounded]', async () => {
    const agent = await runtime.anAgent();
    const turns = 12;
    const slowly = async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return saying('And?');
    };
    models.script(...Array.from({ length: turns }, () => slowly));
    const worker = await runtime.startWorker();

    for (let index = 0; index < turns; index += 1) await runtime.tell(agent, `${index}`);
    await worker.stop();

    const histories = await fetchHistories(runtime.temporal, [agent.id]);
    const callsOf = histories.map((history) =>
      activitiesOf(history).filter((name) => ['beginTurn', 'callModel'].includes(name)),
    );
    expect(callsOf.flat()).toHaveLength(turns);
    // Four begin within the first second of an execution, and the last of them ends after it.
    expect(Math.max(...callsOf.map((calls) => calls.length))).toBeLessThanOrEqual(4);
  });
});
