import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorldFailure } from '../../core/failures.js';
import type { ToolRule } from '../../core/agents/tool-rules.js';
import { defaultToolRules, defaultTools } from '../../core/tools/tools.js';
import { listMessages } from '../../schema/threads/messages.js';
import { findCanary, runCanary } from '../support/runtime/canary.js';
import { giveAPast } from '../support/agents/past.js';
import {
  decodeHistory,
  fetchHistories,
  recordedHistories,
  recordIfAsked,
  replay,
} from '../support/runtime/histories.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying, type ScriptLine } from '../support/models/scripted-model.js';
import { loadWorkflowBundle } from '../support/runtime/temporal.js';

describe('the histories of turns', () => {
  const canary = runCanary();
  /** Rules of every kind that do not affect the turns below. */
  const harmlessRules: readonly ToolRule[] = [
    { kind: 'max_count_per_step', tool: 'archival_memory_insert', limit: 9 },
    { kind: 'parent_last_tool', tool: 'fetch_webpage', children: ['run_code'] },
    { kind: 'constrain_child_tools', tool: 'run_code', children: ['fetch_webpage'] },
    {
      ...{ kind: 'conditional', tool: 'run_code', defaultChild: null, requireMapping: false },
      childByOutput: { [canary]: 'fetch_webpage' },
    },
    { kind: 'continue_loop', tool: 'run_code' },
    { kind: 'requires_approval', tool: 'run_code' },
  ];
  const models = createScriptedModels();
  let runtime: TestRuntime;
  const agents: string[] = [];

  /** Turns of every kind, with the canary in all that is said, stored, called, returned and thrown. */
  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker();
    const anAgent: TestRuntime['anAgent'] = async (input) => {
      const agentType = input?.agentType ?? 'memgpt_agent';
      const tools = defaultTools(agentType, { includeBaseTools: true });
      const toolRules = [...defaultToolRules(agentType, tools), ...harmlessRules].map((rule) => ({
        ...rule,
        promptTemplate: canary,
      }));
      const agent = await runtime.anAgent({ name: canary, toolRules, ...input });
      agents.push(agent.id);
      return agent;
    };
    await rememberAndSearch(await anAgent());
    await failAndRecover(await anAgent({ agentType: 'letta_v1_agent' }));
    await evict(await anAgent({ contextWindow: 9_000 }));
    await cancel(await anAgent());
  });

  afterAll(async () => {
    await runtime.close();
  });

  type Told = Awaited<ReturnType<TestRuntime['anAgent']>>;

  async function rememberAndSearch(agent: Told): Promise<void> {
    models.script(
      callOf('core_memory_append', { label: 'human', content: canary, request_heartbeat: true }),
      callOf('core_memory_replace', { label: 'human', old_content: `no ${canary}`, new_content: canary }),
      callOf('archival_memory_insert', { content: canary, tags: [canary], request_heartbeat: true }),
      callOf(canary, { canary }),
      callOf('archival_memory_search', { query: canary, request_heartbeat: true }),
      callOf('conversation_search', { query: canary, request_heartbeat: true }),
      callOf('send_message', `}{ ${canary}`),
      { text: canary },
      saying(canary),
    );
    expect(await runtime.tell(agent, canary)).toMatchObject({ state: 'completed', steps: 9 });
  }

  async function failAndRecover(agent: Told): Promise<void> {
    models.script(
      new WorldFailure('Model.Unavailable', canary, {
        retryable: true,
        detail: canary,
        cause: new Error(canary),
      }),
      () => Promise.reject(new Error(canary)),
      { text: canary, reasoning: canary },
      new WorldFailure('Model.BadRequest', canary, { retryable: false, detail: canary }),
    );
    expect(await runtime.tell(agent, canary)).toMatchObject({ state: 'completed' });
    expect(await runtime.tell(agent, canary)).toMatchObject({
      state: 'failed',
      error: { type: 'Model.BadRequest' },
    });
  }

  async function evict(agent: Told): Promise<void> {
    await giveAPast(runtime.db, agent, 40, () => `${canary} ${'we talked of the sea. '.repeat(30)}`);
    const line: ScriptLine = (request) =>
      Promise.resolve(request.tools.length === 0 ? { text: canary } : saying(canary));
    models.script(line, line, line, line, line, line);
    expect(await runtime.tell(agent, canary)).toMatchObject({ state: 'completed' });
    models.drop();
  }

  async function cancel(agent: Told): Promise<void> {
    const asked = new Promise<void>((resolve) => {
      models.script(() => {
        resolve();
        return new Promise(() => undefined);
      }, saying(canary));
    });
    const first = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: canary }],
    });
    await asked;
    await runtime.turns.cancel(first.turn.id);
    expect(await runtime.tell(agent, canary)).toMatchObject({ state: 'completed' });
  }

  it('contain no content: no input, argument, answer or error [scale.history]', async () => {
    const histories = await fetchHistories(runtime.temporal, agents);

    expect(histories.length).toBeGreaterThanOrEqual(agents.length);
    const found = histories.filter((history) => findCanary(decodeHistory(history), canary) !== undefined);
    expect(found).toEqual([]);
    // The rows contain the canary, so the histories could have leaked it.
    const rows = await Promise.all(agents.map((threadId) => listMessages(runtime.db, { threadId }, {})));
    expect(rows.every((messages) => JSON.stringify(messages).includes(canary))).toBe(true);
  });

  it('show a summary of each step, the agent and the run [turn.readable]', async () => {
    const [agentId = ''] = agents;
    const [history] = await fetchHistories(runtime.temporal, [agentId]);
    const text = decodeHistory(history!);
    const { memo } = await runtime.temporal.workflow.getHandle(agentId).describe();

    expect(text).toContain('step 1 · model');
    expect(text).toContain('step 3 · archival_memory_insert');
    expect(memo).toMatchObject({ agent: agentId, run: expect.stringMatching(/^run-/) });
  });

  it('replay with the current code, as do older recorded ones [turn.replay]', async () => {
    const fresh = await fetchHistories(runtime.temporal, agents);
    recordIfAsked('0.1.0', fresh);
    const recorded = recordedHistories();

    expect(recorded.length).toBeGreaterThanOrEqual(14);
    expect(await replay([...fresh, ...recorded])).toEqual([]);
  });

  it('are rejected by code that runs activities in another order [turn.replay]', async () => {
    const [history] = await fetchHistories(runtime.temporal, agents.slice(0, 1));
    const { code } = loadWorkflowBundle();
    const changed = {
      code: code.replaceAll("'callModel'", "'settleTurn'").replaceAll('"callModel"', '"settleTurn"'),
    };

    expect(await replay([history!], changed)).toMatchObject([
      { message: expect.stringMatching(/TMPRL1100/) },
    ]);
  });
});
