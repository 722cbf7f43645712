import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packageFile } from '../../stack/processes.js';
import { compileForRun } from '../support/run/compiled.js';
import type { Policy, Reply } from '../support/model-server.js';
import { startTestStack, type TestStack } from '../support/stack.js';
import { testTemporal } from '../support/runtime/temporal.js';

/** Talks, keeps memory and does tasks, by what it is asked and the tools that it has. */
const policy: Policy = ({ messages, tools = [] }, step): Reply => {
  const names = tools.map((tool) => tool.function.name);
  if (names.includes('task_pop')) {
    const calls: readonly Reply[] = [
      { call: 'task_pop', args: {} },
      { call: 'task_push', args: { task: 'call Bo', request_heartbeat: true } },
    ];
    return calls[step] ?? { call: 'send_voice_message', args: { text: 'They are watered.', mood: 'happy' } };
  }
  if (names.includes('memory_finish_edits')) {
    const edits: readonly Reply[] = [
      {
        call: 'memory_replace',
        args: { label: 'human', old_string: 'Name: not known yet', new_string: 'Name: Ada\nLives in Bergen' },
      },
      { call: 'memory_insert', args: { label: 'human', new_string: 'Keeps bees, loves tea' } },
    ];
    return edits[step] ?? { call: 'memory_finish_edits', args: {} };
  }
  if (!names.includes('core_memory_replace')) return { call: 'send_message', args: { message: 'I see.' } };
  // One task for each time that it was asked: what is done stands in the prompt, in calls and in results.
  const seen = JSON.stringify(messages);
  const asked = seen.match(/Do the next open task/g)?.length ?? 0;
  const done = new Set(seen.match(/\[x\] (water|write|rest)/g));
  const next = ['water', 'write', 'rest'][done.size];
  if (done.size >= asked || next === undefined) return { call: 'send_message', args: { message: 'Done.' } };
  return {
    call: 'core_memory_replace',
    args: { label: 'tasks', old_content: `[ ] ${next}`, new_content: `[x] ${next}`, request_heartbeat: true },
  };
};

describe('the examples over several threads', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(policy, { PERDURE_EXTENSIONS: 'examples/task-list/extension.ts' });
  });

  afterAll(() => stack.close());

  async function run(program: readonly string[]): Promise<string> {
    const { address, namespace } = testTemporal();
    const env = {
      ...process.env,
      NODE_OPTIONS: '',
      DATABASE_URL: stack.databaseUrl,
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      PERDURE_TASK_QUEUE: stack.taskQueue,
      PERDURE_MODEL: 'openai/scripted',
      OPENAI_BASE_URL: stack.model.baseUrl,
    };
    const options = { cwd: packageFile('.'), env, timeout: 170_000 };
    return (await promisify(execFile)(process.execPath, program, options)).stdout;
  }

  it('[sleep.examples] have a subconscious agent keep the memory of a conscious one', async () => {
    const printed = await run([await compileForRun('examples/conscious-and-subconscious.ts')]);

    expect(printed).toMatch(/Before sleep:\n {2}human: Name: not known yet\n/);
    expect(printed).toMatch(/refinement completed: finished/);
    expect(printed).toMatch(
      /After sleep:\n {2}human: Name: Ada\n {4}Lives in Bergen\n {4}Keeps bees, loves tea\n/,
    );
    expect(printed).toMatch(/human, revision 2: by sleep_time\nhuman, revision 1: by user/);
  });

  it('[sleep.examples] work down a block of tasks over scheduled turns', async () => {
    const printed = await run([await compileForRun('examples/task-memory.ts'), 'water', 'write', 'rest']);

    expect(printed).toMatch(/schedule-\S+, next at \d{4}-\d\d-\d\dT\d\d:00:00/);
    expect(printed).toMatch(/2 open:\n\[x\] water\n\[ \] write\n\[ \] rest\n/);
    expect(printed).toMatch(/1 open:\n\[x\] water\n\[x\] write\n\[ \] rest\n/);
    expect(printed).toMatch(/0 open:\n\[x\] water\n\[x\] write\n\[x\] rest\n/);
  });

  it('work down a list of tasks by a memory class, a prompt and decisions of their own [ext.example]', async () => {
    const tasks = ['water the bees', 'write to Mina'];
    const printed = await run([await compileForRun('examples/task-list/main.ts'), ...tasks]);

    // No heartbeat was asked for with it: the extension gave the step that follows.
    expect(printed).toMatch(
      /calls: task_pop \{\}\n {2}success: Do this now: water the bees\n {2}calls: task_push /,
    );
    expect(printed).toMatch(
      /calls: send_voice_message .*They are watered\..*\n(?:.*\n)*turn completed: end_turn\n/,
    );
    expect(printed).toMatch(/tasks \(500\): write to Mina\ncall Bo\n/);
    const prompt = JSON.stringify(stack.model.requests.at(-1)?.messages[0]);
    expect(prompt).toMatch(/<task_list_rules>/);
  });

  it('do not start with a module that can’t be loaded, and say so [ext.module]', async () => {
    const env = { PERDURE_EXTENSIONS: './nowhere.ts, examples/task-list/main' };

    const started = await Promise.allSettled([stack.startWorker(env), stack.startServer(env)]);

    const said = started.map((start) => (start.status === 'rejected' ? String(start.reason) : 'It started.'));
    for (const words of said) {
      expect(words).toMatch(
        /The settings cannot be used .*\n {2}PERDURE_EXTENSIONS names \.\/nowhere\.ts, but there is no file .*\n {2}PERDURE_EXTENSIONS names examples\/task-list\/main, which can't be loaded: /,
      );
    }
  });
});
