import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Activities } from '../../activities/index.js';
import type { ToolVerdict } from '../../activities/tools/run-tool.js';
import type { Embedder } from '../../activities/deps.js';
import { derivedId } from '../../core/ids.js';
import { listAgentBlocks } from '../../schema/blocks/agent-blocks.js';
import type { Db } from '../../schema/db/database.js';
import { listMessages } from '../../schema/threads/messages.js';
import { listPassages } from '../../schema/archives/passages.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

/** Embedders that give this answer to every request. */
function embeddingsBy(embed: Embedder['embed']): { resolve(handle: string): Embedder } {
  return {
    resolve: (handle) => ({
      description: { handle, provider: 'scripted', model: 'scripted', dimensions: 3 },
      embed,
    }),
  };
}

const insert = () =>
  callOf('archival_memory_insert', { content: 'The boat is called Aurora.', request_heartbeat: true });

function readLedger(db: Db, effectId: string) {
  return db
    .selectFrom('effects')
    .select(['id', 'turn_id', 'step_id', 'state', 'status'])
    .where('id', '=', effectId)
    .executeTakeFirst();
}

async function toolResults(runtime: TestRuntime, threadId: string) {
  const messages = await listMessages(runtime.db, { threadId, kinds: ['tool'] }, { order: 'asc' });
  return messages.map(({ body }) => body);
}

describe('a tool that waits for the outside world', () => {
  const models = createScriptedModels();
  /** The effect at each attempt of the tool. */
  const tried: unknown[] = [];
  let effectId = '';
  let runtime: TestRuntime;

  beforeAll(async () => {
    const embeddings = embeddingsBy(async (texts) => {
      tried.push(await readLedger(runtime.db, effectId));
      return texts.map(() => [1, 0, 0]);
    });
    runtime = await startRuntime({ models, embeddings });
  });

  afterAll(async () => {
    await runtime.close();
  });

  it('has its effect stored before it runs, and does not run twice [tool.effect]', async () => {
    const verdicts: ToolVerdict[] = [];
    const worker = await runtime.startWorker({ wrap: (activities) => doubling(activities, verdicts) });
    const agent = await runtime.anAgent();
    models.script(insert(), saying('Noted.'));
    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'My boat is called Aurora.' }],
    });
    effectId = derivedId('effect', turn.id, 0, 0);

    const ended = await runtime.turns.result(turn.id);
    await worker.stop();

    expect(ended).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 2 });
    const at = { id: effectId, step_id: derivedId('step', turn.id, 0), turn_id: turn.id };
    expect(tried).toEqual([expect.objectContaining({ ...at, state: 'planned', status: null })]);
    expect(await readLedger(runtime.db, effectId)).toMatchObject({ ...at, state: 'done', status: 'success' });
    // Two verdicts for each call: the insertion and the speech.
    expect(verdicts).toEqual(Array.from({ length: 4 }, () => ({ status: 'success' })));
    expect(await listPassages(runtime.db, { agentId: agent.id }, {})).toHaveLength(1);
    expect(await toolResults(runtime, agent.id)).toHaveLength(2);
  });
});

/** Runs every tool call twice, as after a lost result. */
function doubling(activities: Activities, verdicts: ToolVerdict[]): Activities {
  const twice =
    (name: 'runTool' | 'editBlock'): Activities['runTool'] =>
    async (input) => {
      verdicts.push(await activities[name](input));
      const again = await activities[name](input);
      verdicts.push(again);
      return again;
    };
  return { ...activities, runTool: twice('runTool'), editBlock: twice('editBlock') };
}

describe('a tool that only changes rows', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
  });

  afterAll(async () => {
    await runtime.close();
  });

  it('has its effect stored before it runs after another tool, and changes rows once [tool.effect] [tool.transactional]', async () => {
    const before: unknown[] = [];
    const verdicts: ToolVerdict[] = [];
    const worker = await runtime.startWorker({
      wrap: (activities) => {
        const repeated = doubling(activities, verdicts);
        const noting =
          (name: 'runTool' | 'editBlock'): Activities['runTool'] =>
          async (input) => {
            before.push(await readLedger(runtime.db, input.effectId));
            return repeated[name](input);
          };
        return { ...repeated, runTool: noting('runTool'), editBlock: noting('editBlock') };
      },
    });
    const agent = await runtime.anAgent({ blocks: [{ label: 'human', value: 'Their name is Sid.' }] });
    const noting = callOf('core_memory_append', { label: 'human', content: 'Has a boat.' });
    models.script({ toolCalls: [...insert().toolCalls, ...noting.toolCalls] }, saying('Noted.'));

    const turn = await runtime.tell(agent, 'I have a boat.');
    await worker.stop();

    expect(before).toMatchObject([
      { id: derivedId('effect', turn.id, 0, 0), state: 'planned', status: null },
      { id: derivedId('effect', turn.id, 0, 1), state: 'planned', status: null },
      { id: derivedId('effect', turn.id, 1, 0), state: 'planned', status: null },
    ]);
    expect(await readLedger(runtime.db, derivedId('effect', turn.id, 0, 1))).toMatchObject({ state: 'done' });
    expect(verdicts).toHaveLength(6);
    const [human] = await listAgentBlocks(runtime.db, agent.id);
    expect(human).toMatchObject({ value: 'Their name is Sid.\nHas a boat.', revision: 2 });
    expect(await toolResults(runtime, agent.id)).toHaveLength(3);
  });
});

describe('a tool that does not finish', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    const never = embeddingsBy(
      (_texts, options) =>
        new Promise((_, reject) => {
          options?.signal?.addEventListener('abort', () => {
            reject(new Error('given up'));
          });
        }),
    );
    runtime = await startRuntime({ models, embeddings: never, toolTimeoutMs: 1_000 });
    await runtime.startWorker();
  });

  afterAll(async () => {
    await runtime.close();
  });

  it('times out with an unknown outcome, and the agent continues [turn.tool-timeout]', async () => {
    const agent = await runtime.anAgent();
    models.script(insert(), saying('I could not store that.'));

    const turn = await runtime.tell(agent, 'My boat is called Aurora.');

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 2 });
    expect(await toolResults(runtime, agent.id)).toMatchObject([
      {
        toolName: 'archival_memory_insert',
        status: 'error',
        content: 'archival_memory_insert did not finish in time. Whether it took effect is unknown.',
      },
      { toolName: 'send_message', status: 'success' },
    ]);
    expect(await listPassages(runtime.db, { agentId: agent.id }, {})).toEqual([]);
    const told = models.requests.at(-1)?.messages.find(({ role }) => role === 'tool');
    expect(told?.content).toContain('did not finish in time');
  });
});
