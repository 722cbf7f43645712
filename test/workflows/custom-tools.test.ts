import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { Activities } from '../../activities/index.js';
import { currentExecution } from '../../activities/keep-alive.js';
import { describePythonTool } from '../../adapters/python/describe-tool.js';
import type { Agent } from '../../core/agents/agents.js';
import { listAgentBlocks } from '../../schema/blocks/agent-blocks.js';
import { attachTool, resolveTools } from '../../schema/tools/agent-tools.js';
import { updateAgent } from '../../schema/agents/updates.js';
import { changeBlock } from '../../schema/blocks/changes.js';
import { lockBlock } from '../../schema/blocks/writing.js';
import { upsertCustomTool, type ToolFields } from '../../schema/tools/custom-tools.js';
import { inTransaction } from '../../schema/db/database.js';
import { startEffect } from '../../schema/turns/effects.js';
import { listMessages } from '../../schema/threads/messages.js';
import { runCanary } from '../support/runtime/canary.js';
import { bestIsolation } from '../support/tools/isolation.js';
import { untilSomebodyWaits } from '../support/faults/lock-waiting.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';
import { startToolRunner } from '../support/tools/tool-runners.js';
import { tablesWith } from '../support/agents/plain-text.js';

const models = createScriptedModels();
let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await startRuntime({ models, tools: await startToolRunner(bestIsolation) });
});
afterAll(() => runtime.close());

/** An agent with one custom tool of this source beside its own tools. */
async function agentWith(source: string, more: ToolFields & { extras?: object } = {}): Promise<Agent> {
  const described = await describePythonTool({ source, hasDescription: true, hasParameters: true });
  if (described?.ok !== true) throw new Error(described?.message);
  const { extras = {}, ...fields } = more;
  const tool = await upsertCustomTool(runtime.db, {
    description: 'Act.',
    sourceType: 'python',
    sourceCode: `${source}\n# ${runCanary()}`,
    schema: { name: described.name, description: 'Act.', parameters: { type: 'object', properties: {} } },
    argsSchema: null,
    runtime: { function: described.name, modules: [], clientGeneration: '0.1' },
    ...fields,
  });
  const agent = await runtime.anAgent({ extras: { ...extras } });
  await attachTool(runtime.db, agent.id, tool.id);
  return agent;
}

/** The result of the agent's tool call at this place, the first by default. `send_message` does not count. */
async function resultOf(agent: Agent, at = 0) {
  const results = await listMessages(runtime.db, { threadId: agent.id, kinds: ['tool'] }, { order: 'asc' });
  return results.filter(({ body }) => body.kind === 'tool' && body.toolName !== 'send_message').at(at)?.body;
}

async function valueOf(agent: Agent, label: string): Promise<string | undefined> {
  return (await listAgentBlocks(runtime.db, agent.id)).find((block) => block.label === label)?.value;
}

/** Runs a turn in which the agent calls the tool and then speaks. */
async function turnWith(agent: Agent, tool: string, args: Record<string, unknown> = {}) {
  models.script(callOf(tool, { ...args, request_heartbeat: true }), saying('Done.'));
  return runtime.tell(agent, 'Go.');
}

/** Waits until a tool of the agent has been started. */
async function untilStarted(agent: Agent): Promise<void> {
  for (;;) {
    const started = await runtime.db
      .selectFrom('effects')
      .innerJoin('turns', 'turns.id', 'effects.turn_id')
      .select('effects.id')
      .where('turns.agent_id', '=', agent.id)
      .where('effects.state', '=', 'started')
      .executeTakeFirst();
    if (started !== undefined) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('[tools.run] a turn with a custom tool', () => {
  it('shows the model where the output was cut off [turn.output-limit]', async () => {
    const agent = await agentWith('def count():\n    return "1234567890"', { returnLimit: 4 });

    await turnWith(agent, 'count');

    expect(await resultOf(agent)).toMatchObject({
      status: 'success',
      content: '1234... [NOTE: function output was truncated since it exceeded the character limit (10 > 4)]',
    });
  });

  let worker: { stop(): Promise<void> };
  beforeAll(async () => {
    worker = await runtime.startWorker();
  });
  afterAll(() => worker.stop());

  it('shows the model the result cut to the tool’s limit, and people the output', async () => {
    const agent = await agentWith('def echo(word):\n  print("said", word)\n  return word * 100', {
      returnLimit: 200,
    });

    const turn = await turnWith(agent, 'echo', { word: 'tick' });

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
    const result = await resultOf(agent);
    expect(result).toMatchObject({ status: 'success', stdout: ['said tick\n'], stderr: [] });
    expect((result as { content: string }).content).toMatch(/^(tick){50}\.\.\. \[NOTE: .*\(400 > 200\)\]$/);
    expect((result as { content: string }).content.length).toBeLessThan(400);
    expect(JSON.stringify(models.requests.at(-1)?.messages)).not.toContain('said tick');
  });

  it('[seeds.override] runs a custom tool in place of the base tool of its name only for its agent', async () => {
    const source = 'def core_memory_append(agent_state, name):\n  return "mine: " + name';
    const agent = await agentWith(source);
    const other = await runtime.anAgent();

    await turnWith(agent, 'core_memory_append', { name: 'human' });
    await turnWith(other, 'core_memory_append', { name: 'human', content: 'Theirs.' });

    expect(await resultOf(agent)).toMatchObject({ status: 'success', content: 'mine: human' });
    expect(await valueOf(agent, 'human')).toBe('The human has not said their name.');
    expect(await resultOf(other)).toMatchObject({ status: 'success' });
    expect(await valueOf(other, 'human')).toBe('The human has not said their name.\nTheirs.');
  });

  it('gives the agent another step after a failed tool', async () => {
    const agent = await agentWith('def fails():\n  raise ValueError("no seat left")');

    const turn = await turnWith(agent, 'fails');

    expect(turn).toMatchObject({ state: 'completed', steps: 2 });
    expect(await resultOf(agent)).toMatchObject({
      status: 'error',
      content: 'Error executing function fails: ValueError: no seat left',
      stderr: [expect.stringMatching(/line 2, in fails/)],
    });
  });

  it('[secrets.redacted] redacts the agent’s secrets from errors and output before they are stored', async () => {
    const source =
      'import os\ndef leak():\n  print("key", os.environ["KEY"])\n  raise ValueError("bad key " + os.environ["KEY"])';
    const agent = await agentWith(source, { extras: { secrets: { KEY: 'plain-leaked' } } });

    await turnWith(agent, 'leak');

    expect(await resultOf(agent)).toMatchObject({
      status: 'error',
      content: 'Error executing function leak: ValueError: bad key [KEY]',
      stdout: ['key [KEY]\n'],
      stderr: [expect.stringMatching(/ValueError: bad key \[KEY\]/)],
    });
    expect(JSON.stringify(models.requests.at(-1)?.messages)).not.toContain('plain-leaked');
    expect(await tablesWith(runtime.db, 'plain-leaked')).toEqual([]);
  });

  it('gives the tool the agent’s variables and ids, and a token that is removed afterwards', async () => {
    const agent = await agentWith('import os\ndef variables():\n  return dict(os.environ)', {
      extras: { tool_exec_environment_variables: { CITY: 'Rome', '1 bad': 'x' }, secrets: { KEY: 'k' } },
    });

    const turn = await turnWith(agent, 'variables');

    const { content } = (await resultOf(agent)) as { content: string };
    const effect = await runtime.db
      .selectFrom('effects')
      .selectAll()
      .where('turn_id', '=', turn.id)
      .where('tool_name', '=', 'variables')
      .executeTakeFirstOrThrow();
    expect(JSON.parse(content)).toMatchObject({
      CITY: 'Rome',
      KEY: 'k',
      LETTA_AGENT_ID: agent.id,
      PERDURE_RUN_ID: turn.id,
      PERDURE_STEP_ID: effect.step_id,
      PERDURE_TOOL_CALL_ID: effect.tool_call_id,
      PERDURE_EFFECT_ID: effect.id,
    });
    expect(Object.keys(JSON.parse(content) as object)).not.toContain('1 bad');
    expect(await runtime.db.selectFrom('tool_tokens').selectAll().execute()).toEqual([]);
  });

  it.each([
    [
      'python',
      'print("adding")\n1 + 1',
      'success',
      { results: ['2'], logs: { stdout: ['adding\n'], stderr: [] } },
    ],
    [
      'js',
      'null.x',
      'error',
      { results: [], error: expect.stringMatching(/^Error executing .*: TypeError: /) },
    ],
  ])('[tools.run-code] runs the agent’s own %s', async (language, code, status, shown) => {
    const agent = await runtime.anAgent({ toolNames: ['send_message', 'run_code'] });

    await turnWith(agent, 'run_code', { code, language });

    const result = (await resultOf(agent)) as { status: string; content: string };
    expect(result.status).toBe(status);
    expect(JSON.parse(result.content)).toMatchObject(shown);
  });

  it('[tools.code-with-tools] runs code that calls the agent’s tools, except those that need approval', async () => {
    const source =
      'def note(agent_state, line: str, times: int = 1):\n  block = agent_state.memory.get_block("human")\n  block.value += ("\\n" + line) * times\n  return len(block.value)';
    const agent = await agentWith(source);
    const tools = await resolveTools(runtime.db, { names: ['run_code_with_tools'] });
    await attachTool(runtime.db, agent.id, tools[0] ?? '');
    const code = 'print("noting")\nlengths = [note("a"), note("b", times=2)]\nlengths[1] - lengths[0]';

    await turnWith(agent, 'run_code_with_tools', { code });
    const called = (await resultOf(agent)) as { status: string; content: string };
    const toolRules = [{ kind: 'requires_approval', tool: 'note' }] as const;
    await updateAgent(runtime.db, agent.id, { toolRules });
    await turnWith(agent, 'run_code_with_tools', { code });
    const refused = (await resultOf(agent, -1)) as { status: string; content: string };

    expect(called.status).toBe('success');
    expect(JSON.parse(called.content)).toEqual({
      results: ['4'],
      logs: { stdout: ['noting\n'], stderr: [] },
    });
    expect(await valueOf(agent, 'human')).toBe('The human has not said their name.\na\nb\nb');
    expect(refused.status).toBe('error');
    expect(JSON.parse(refused.content)).toMatchObject({
      error: "Error executing function run_code_with_tools: NameError: name 'note' is not defined",
    });
  });

  it('[tools.code-scope] hides the agent’s secrets from code that the agent wrote', async () => {
    const source =
      'import os\ndef peek(agent_state):\n  return [os.environ.get("API_KEY"), agent_state.tool_exec_environment_variables]';
    const agent = await agentWith(source, { extras: { secrets: { API_KEY: 'secret' } } });
    const tools = await resolveTools(runtime.db, { names: ['run_code_with_tools'] });
    await attachTool(runtime.db, agent.id, tools[0] ?? '');
    const code = 'import os\n[peek(), os.environ.get("API_KEY"), os.environ["LETTA_AGENT_ID"]]';

    await turnWith(agent, 'run_code_with_tools', { code });

    const { content } = (await resultOf(agent)) as { content: string };
    expect(JSON.parse(content)).toMatchObject({ results: [`[[null, []], null, "${agent.id}"]`] });
    await turnWith(agent, 'peek');
    expect(await resultOf(agent, -1)).toMatchObject({ content: expect.stringMatching(/^\["secret", \[/) });
  });

  it('[tools.memory] writes the tool’s memory changes back with the tool as author', async () => {
    const agent = await agentWith(
      'def note(agent_state):\n  block = agent_state.memory.get_block("human")\n  block.value += "\\nIs called Mina."\n  agent_state.memory.update_block_value("persona", "I am Max.")',
    );

    await turnWith(agent, 'note');

    expect(await resultOf(agent)).toMatchObject({ status: 'success', content: 'None' });
    expect(await valueOf(agent, 'human')).toBe('The human has not said their name.\nIs called Mina.');
    expect(await valueOf(agent, 'persona')).toBe('I am Max.');
    const revisions = await runtime.db
      .selectFrom('block_revisions')
      .select(['actor', 'agent_id', 'tool_call_id'])
      .where('agent_id', '=', agent.id)
      .where('revision', '=', 2)
      .execute();
    expect(revisions).toEqual([
      { actor: 'tool', agent_id: agent.id, tool_call_id: expect.any(String) },
      { actor: 'tool', agent_id: agent.id, tool_call_id: expect.any(String) },
    ]);
  });

  it('[tools.memory] reports to the model a change that exceeds the block’s limit', async () => {
    const agent = await agentWith(
      'def flood(agent_state):\n  agent_state.memory.update_block_value("human", "x" * 100000)\n  return "flooded"',
    );

    await turnWith(agent, 'flood');

    expect(await resultOf(agent)).toMatchObject({
      status: 'error',
      content: expect.stringMatching(/^flooded\n\nThe tool ran, but some .* Exceeds \d+ character limit/),
    });
    expect(await valueOf(agent, 'human')).toBe('The human has not said their name.');
  });
});

describe('[tools.memory] a block that changes while a tool runs', () => {
  const wait = 'import time\ndef edit(agent_state):\n  block = agent_state.memory.get_block("human")\n';

  it.each([
    [
      'elsewhere',
      'block.value += "\\nSails."',
      'Is Mina.\nLives in Rome.',
      'success',
      'Is Mina.\nLives in Rome.\nSails.',
    ],
    ['in the same place', 'block.value = "Is Ada."', 'Is Mina!', 'error', 'Is Mina!'],
  ])('keeps both changes or reports the conflict: %s', async (_where, edit, other, status, value) => {
    const agent = await agentWith(`${wait}  ${edit}\n  time.sleep(1)`);
    const block = (await listAgentBlocks(runtime.db, agent.id)).find(({ label }) => label === 'human')!;
    const set = (text: string) =>
      changeBlock(runtime.db, { blockId: block.id, operation: { kind: 'set', value: text }, actor: 'user' });
    await set('Is Mina.');
    const worker = await runtime.startWorker();

    // The effect is started after the tool has read the block. Then the other writer comes.
    await Promise.all([turnWith(agent, 'edit'), untilStarted(agent).then(() => set(other))]);

    await worker.stop();
    expect(await resultOf(agent)).toMatchObject({ status });
    expect(await valueOf(agent, 'human')).toBe(value);
  });
});

describe('[tools.memory] a tool that edits several blocks', () => {
  it('locks the blocks in the order of their ids, so that tools do not deadlock', async () => {
    const agent = await agentWith(
      'def both(agent_state):\n  for label in ["human", "persona"]:\n    agent_state.memory.update_block_value(label, "changed")',
    );
    const ids = (await listAgentBlocks(runtime.db, agent.id)).map(({ id }) => id).sort();
    const [low = '', high = ''] = ids;
    await runtime.db.updateTable('agent_blocks').set({ position: -1 }).where('block_id', '=', high).execute();
    const worker = await runtime.startWorker();

    const ended = await inTransaction(runtime.db, async (tx) => {
      await lockBlock(tx, low);
      const turn = turnWith(agent, 'both');
      await untilSomebodyWaits(runtime.db);
      await sql`select from blocks where id = ${high} for no key update nowait`.execute(tx);
      return { turn };
    });
    const turn = await ended.turn;

    await worker.stop();
    expect(ids).toHaveLength(2);
    expect(turn.state).toBe('completed');
    expect(await resultOf(agent)).toMatchObject({ status: 'success' });
    expect([await valueOf(agent, 'human'), await valueOf(agent, 'persona')]).toEqual(['changed', 'changed']);
  });
});

describe('[tools.unknown-outcome] a tool whose worker died', () => {
  /** The first attempt starts the effect and loses its result. Temporal tries again. */
  const losingFirst = () => {
    let tries = 0;
    return (activities: Activities): Activities => ({
      ...activities,
      async runTool(input) {
        tries += 1;
        if (tries === 1) {
          const fence = { turnId: input.turnId, executionId: currentExecution() };
          await startEffect(runtime.db, fence, input.effectId);
          throw new Error('The worker died.');
        }
        return activities.runTool(input);
      },
    });
  };

  it('is not run again as part of code that the agent wrote [tools.code-with-tools]', async () => {
    const agent = await runtime.anAgent({ toolNames: ['send_message', 'run_code_with_tools'] });
    const worker = await runtime.startWorker({ wrap: losingFirst() });

    const turn = await turnWith(agent, 'run_code_with_tools', { code: '1 + 1' });

    await worker.stop();
    expect(turn.state).toBe('completed');
    expect(await resultOf(agent)).toMatchObject({
      status: 'error',
      content: expect.stringMatching(/whether it took effect is unknown/i),
    });
  });

  it.each([
    [[], 'error', /was started, but the process that ran it died. Whether it took effect is unknown/],
    [['idempotent'], 'success', /^ran under effect-/],
  ])('is not run again unless it is tagged idempotent: %j', async (tags, status, content) => {
    const agent = await agentWith(
      'import os\ndef pay():\n  return "ran under " + os.environ["PERDURE_EFFECT_ID"]',
      {
        tags,
      },
    );
    const worker = await runtime.startWorker({ wrap: losingFirst() });

    const turn = await turnWith(agent, 'pay');

    await worker.stop();
    expect(turn.state).toBe('completed');
    expect(await resultOf(agent)).toMatchObject({ status, content: expect.stringMatching(content) });
  });

  it('is stopped when its turn is cancelled, and leaves a well-formed transcript', async () => {
    const agent = await agentWith('import time\ndef nap():\n  time.sleep(300)');
    models.drop();
    const worker = await runtime.startWorker();
    models.script(callOf('nap', {}));
    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'Sleep.' }],
    });
    await untilStarted(agent);

    await runtime.turns.cancel(turn.id);

    expect(await runtime.turns.result(turn.id)).toMatchObject({ state: 'cancelled' });
    expect(await resultOf(agent)).toMatchObject({ kind: 'tool', status: 'error' });
    await worker.stop();
    expect(await runtime.db.selectFrom('tool_tokens').selectAll().execute()).toEqual([]);
  });
});
