import { setTimeout as delay } from 'node:timers/promises';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ToolRunner } from '../../adapters/custom-tools/tool-runner.js';
import type { Agent } from '../../core/agents/agents.js';
import { attachTool } from '../../schema/tools/agent-tools.js';
import { upsertCustomTool } from '../../schema/tools/custom-tools.js';
import { waitFor } from '../../stack/waiting.js';
import { fetchHistories, timelineOf } from '../support/runtime/histories.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying, type ScriptLine } from '../support/models/scripted-model.js';
import { giveAPast } from '../support/agents/past.js';

/** Accepts and runs any tool. */
const tools: ToolRunner = {
  prepare: () =>
    Promise.resolve({
      kind: 'ready',
      run: () => Promise.resolve({ ok: true, message: 'It sailed.', stdout: [], stderr: [], blocks: {} }),
    }),
};

describe('the history of a turn', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models, tools });
    await runtime.startWorker();
  });

  afterAll(async () => {
    await runtime.close();
  });

  const aSailor = async (): Promise<Agent> => {
    const agent = await runtime.anAgent({ model: 'openai/gpt-4o-mini' });
    const { id } = await upsertCustomTool(runtime.db, {
      ...{ description: 'Sail.', sourceType: 'python', sourceCode: 'def sail():\n  ...' },
      schema: { name: 'sail', description: 'Sail.', parameters: { type: 'object', properties: {} } },
      argsSchema: null,
      runtime: { function: 'sail', modules: [], clientGeneration: '0.1' },
    });
    await attachTool(runtime.db, agent.id, id);
    return agent;
  };

  /** The history of the execution once it is closed. */
  const closedHistory = async (agent: Agent) => {
    const closed = async () => {
      const [found] = await fetchHistories(runtime.temporal, [agent.id]);
      return found?.events?.at(-1)?.workflowExecutionCompletedEventAttributes == null ? undefined : found;
    };
    return (await waitFor(closed, { timeoutMs: 60_000, everyMs: 50 }))!;
  };

  /** Bounds of the execution's age in ms when it checked its age: at the start of its last workflow task, and at that task's first command. */
  const agesAtSettlement = (history: Awaited<ReturnType<typeof closedHistory>>): readonly number[] => {
    const events = history.events ?? [];
    const command = events.findIndex(
      ({ timerStartedEventAttributes: timer, workflowExecutionCompletedEventAttributes: end }) =>
        timer != null || end != null,
    );
    const task = events
      .slice(0, command)
      .findLast(({ workflowTaskStartedEventAttributes: started }) => started != null);
    const startedAt = tsToMs(events[0]?.eventTime);
    return [task, events[command]].map((event) => tsToMs(event?.eventTime) - startedAt);
  };

  it.each([
    { how: 'answers at once', thinksForMs: 0 },
    // Longer than a workflow task may take.
    { how: 'takes two seconds', thinksForMs: 2_100 },
  ])('shows each step in order for a model that $how [turn.timeline]', async ({ thinksForMs }) => {
    const agent = await aSailor();
    const again = { request_heartbeat: true };
    models.script(
      async () => {
        await delay(thinksForMs);
        return callOf('core_memory_append', { label: 'human', content: 'Has a boat.', ...again });
      },
      callOf('archival_memory_insert', { content: 'It is blue.', ...again }),
      callOf('sail', again),
      saying('Noted.'),
    );

    const turn = await runtime.tell(agent, 'I have a blue boat. Sail it.');

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 4 });
    const history = await closedHistory(agent);
    const story = timelineOf(history);
    const waited = story.at(-1) === 'timer';
    expect(story).toEqual([
      `local claimTurn: claim · ${turn.id}`,
      'callModel: step 1 · model gpt-4o-mini',
      'local editBlock: step 1 · core_memory_append',
      'callModel: step 2 · model gpt-4o-mini',
      'runTool: step 2 · archival_memory_insert',
      'callModel: step 3 · model gpt-4o-mini',
      'runTool: step 3 · sail',
      'callModel: step 4 · model gpt-4o-mini',
      'local runTool: step 4 · send_message',
      'local settleTurn: close · end_turn',
      ...(waited ? ['timer'] : []),
    ]);
    // A young execution stays open for a moment. After a turn of a second it closes at once.
    expect(agesAtSettlement(history).map((age) => age < 1_000)).toContain(waited);
  });

  it('shows an eviction under memory pressure [turn.timeline]', async () => {
    const agent = await runtime.anAgent({ contextWindow: 9_000, model: 'openai/gpt-4o-mini' });
    await giveAPast(runtime.db, agent, 40, () => 'We talked of the sea, and of the boat. '.repeat(20));
    const line: ScriptLine = (request) =>
      request.tools.length === 0 ? { text: 'They talked of the sea.' } : saying('Noted.');
    models.script(line, line, line, line, line, line);

    const turn = await runtime.tell(agent, 'Do you remember?');
    models.drop();

    expect(turn).toMatchObject({ state: 'completed', steps: 1 });
    expect(timelineOf(await closedHistory(agent)).slice(0, 3)).toEqual([
      `local claimTurn: claim · ${turn.id}`,
      'callModel: step 1 · model gpt-4o-mini',
      'summarize: summarize · level 1',
    ]);
  });
});
