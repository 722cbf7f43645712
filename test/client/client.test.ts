import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSettings, SettingsError } from '../../adapters/settings/settings.js';
import { connect, type Perdure } from '../../client/connect.js';
import { packageFile } from '../../stack/processes.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { compileForRun } from '../support/run/compiled.js';
import { besideTheDemo, createScriptedModels, saying } from '../support/models/scripted-model.js';

const scripted = createScriptedModels();
const models = besideTheDemo(scripted);

let runtime: TestRuntime;
let perdure: Perdure;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  runtime = await startRuntime({ models });
  await runtime.startWorker();
  env = {
    DATABASE_URL: runtime.databaseUrl,
    TEMPORAL_ADDRESS: runtime.address,
    TEMPORAL_NAMESPACE: runtime.namespace,
    PERDURE_TASK_QUEUE: runtime.taskQueue,
    PERDURE_MODEL: 'perdure/demo',
  };
  perdure = await connect({ settings: readSettings(env) });
});

afterAll(async () => {
  await perdure.close();
  await runtime.close();
});

describe('the client', () => {
  it('[client.turns] creates an agent, sends a message, watches the turn and awaits its result', async () => {
    const agent = await perdure.agents.create({
      name: 'Sam',
      blocks: [{ label: 'human', value: 'Name: not known yet' }],
    });

    const { turn, repeated } = await perdure.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'My name is Shilpa. I love chess.' }],
    });
    const seen: string[] = [];
    for await (const { event } of perdure.turns.watch(turn.id)) {
      if (event.kind === 'message') seen.push(event.messageId);
    }
    const ended = await perdure.turns.result(turn.id);

    const messages = await perdure.turns.messages(seen);
    expect(messages.filter(({ body }) => body.kind === 'tool')).toHaveLength(3);
    expect(repeated).toBe(false);
    expect(ended).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 3 });
    expect(await perdure.agents.blocks(agent.id)).toMatchObject([
      { label: 'human', value: 'Name: Shilpa\nLoves chess', revision: 3 },
    ]);
  });

  it('[client.turns] cancels a turn during a model call', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let asked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    scripted.script(async () => {
      asked();
      await held;
      return saying('Too late.');
    });
    const agent = await perdure.agents.create({ name: 'Sam', model: 'scripted/model' });
    const { turn } = await perdure.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'Hello' }],
    });
    await isAsked;

    const cancelled = await perdure.turns.cancel(turn.id);
    release();

    expect(cancelled).toMatchObject({ state: 'cancelled', stopReason: 'cancelled' });
    expect(await perdure.turns.result(turn.id)).toMatchObject({ state: 'cancelled' });
  });

  it('[client.blocks] changes a block by operations and reads its history', async () => {
    const { blocks } = perdure;
    const agent = await perdure.agents.create({ name: 'Sam', blocks: [{ label: 'plan', value: 'one' }] });
    const [{ id } = { id: '' }] = await perdure.agents.blocks(agent.id);

    const appended = await blocks.change(id, { kind: 'append', content: 'two' }, { key: 'k' });
    await blocks.change(id, { kind: 'append', content: 'two' }, { key: 'k' });
    const late = await blocks.change(id, { kind: 'set', value: 'mine' }, { ifRevision: 1 });

    expect(appended).toMatchObject({ ok: true, block: { value: 'one\ntwo', revision: 2 } });
    expect(late).toMatchObject({ ok: false, code: 'conflict', seen: { value: 'one' } });
    expect(await blocks.diff(id, { from: 1, to: 2 })).toBe('@@ -1,1 +1,2 @@\n one\n+two');
    expect(await blocks.undo(id)).toMatchObject({ ok: true, block: { value: 'one' } });
    expect(await blocks.redo(id)).toMatchObject({ ok: true, block: { value: 'one\ntwo' } });
    expect(await blocks.restore(id, 1)).toMatchObject({ ok: true, block: { value: 'one', revision: 5 } });
    const [newest, ...older] = await blocks.revisions(id);
    expect([newest, ...older].map((one) => one?.operation.kind)).toEqual([
      ...['restore', 'redo', 'undo', 'append', 'create'],
    ]);
    expect(await blocks.asOf(id, newest?.moment ?? '')).toEqual(newest);
    expect(await blocks.asOf(id, 2)).toMatchObject({ value: 'one\ntwo' });
    expect(await blocks.blame(id)).toMatchObject([{ text: 'one', revision: { revision: 1 } }]);
    expect(await blocks.retrieve(id)).toMatchObject({ value: 'one', revision: 5 });
  });

  it('gives an agent the defaults of its type', async () => {
    const plain = await perdure.agents.create({ name: 'Sam' });
    const bare = await perdure.agents.create({
      name: 'Sam',
      agentType: 'letta_v1_agent',
      includeBaseTools: false,
    });

    expect(plain).toMatchObject({
      agentType: 'memgpt_agent',
      model: 'perdure/demo',
      embedding: 'perdure/use-lite',
    });
    expect(plain.toolRules).toContainEqual({ kind: 'exit_loop', tool: 'send_message' });
    expect(plain.toolRules).toContainEqual({ kind: 'continue_loop', tool: 'core_memory_append' });
    expect(bare).toMatchObject({ agentType: 'letta_v1_agent', toolRules: [] });
    expect(bare.system).not.toBe(plain.system);
  });

  it('keeps a tool’s given rule instead of the default rule', async () => {
    const rule = { kind: 'exit_loop', tool: 'core_memory_append' } as const;

    const agent = await perdure.agents.create({ name: 'Sam', toolRules: [rule] });

    expect(agent.toolRules.filter(({ tool }) => tool === rule.tool)).toEqual([rule]);
  });

  it('names the variable to set when no model is configured', async () => {
    const without = await connect({ settings: readSettings({ ...env, PERDURE_MODEL: '' }) });

    const made = without.agents.create({ name: 'Sam' });

    await expect(made).rejects.toBeInstanceOf(SettingsError);
    await expect(made).rejects.toThrow(/PERDURE_MODEL is not set, and the agent names no model/);
    await without.close();
  });
});

describe('the examples', () => {
  it('[client.examples] start a turn and print it', async () => {
    const printed = await runExample('send-and-watch.ts', 'My name is Quill. I collect maps.');

    expect(printed).toMatch(/calls: core_memory_replace .*"Name: Quill"/);
    expect(printed).toContain('agent: I noted in core memory: Name: Quill; Collects maps.');
    expect(printed).toMatch(/turn completed after 3 steps: end_turn\nblock human, revision 3:/);
  });

  it('[client.examples] steer, queue and interrupt a busy agent', async () => {
    const printed = await runExample('signal-busy-agent.ts');

    expect(printed).toMatch(/busy: run-\S+ completed, 7 steps of its own/);
    expect(printed).toMatch(/steering: run-\S+ completed, 0 steps of its own/);
    expect(printed).toMatch(/queued: run-\S+ completed, 1 steps of its own/);
    expect(printed).toMatch(/The busy turn:[\s\S]*Loves chess\.\n\nThe queued turn:/);
    expect(printed).toMatch(/The queued turn:[\s\S]*agent: Your name is Ada\./);
    expect(printed).toMatch(/stopped: run-\S+ cancelled\ninstead: run-\S+ completed/);
  });
});

async function runExample(name: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [await compileForRun(`examples/${name}`), ...args],
    { cwd: packageFile('.'), env: { ...process.env, ...env, NODE_OPTIONS: '' }, timeout: 170_000 },
  );
  return stdout;
}
