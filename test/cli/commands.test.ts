import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { noUsage } from '../../core/models/usage.js';
import { createRuntimeApp, startRuntimeServer } from '../server/runtime-app.js';
import { type Ended, type Person, runCli } from '../support/cli/fake-terminal.js';
import { aPair } from '../support/agents/partners.js';
import type { TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

describe('the command line', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;
  let url: string;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ runtime, url, close } = await startRuntimeServer({ models }));
  });

  afterAll(() => close());

  const perdure = (args: readonly string[], person?: Person): Promise<Ended> =>
    runCli(args, { PERDURE_URL: url }, person);
  const read = async <T>(...args: string[]): Promise<T> =>
    JSON.parse((await perdure([...args, '--json'])).output) as T;

  it('[cli.agents] creates, lists, shows, exports, imports and deletes agents', async () => {
    const file = join(makeTemporaryDirectory('cli'), 'ada.af');
    const made = await perdure([
      'agents',
      'create',
      'ada',
      '--model',
      'perdure/demo',
      '--human',
      'Likes tea.',
      '--tag',
      'x',
      'y',
    ]);

    const listed = await perdure(['agents', 'list', '--tag', 'x']);
    const shown = await perdure(['agents', 'show', 'ada']);
    await perdure(['agents', 'export', 'ada', '-o', file]);
    const imported = await perdure(['agents', 'import', file, '--name', 'ada again']);
    const copy = await read<{ name: string; blocks: { value: string }[] }>('agents', 'show', 'ada again');
    const unasked = await perdure(['agents', 'delete', 'ada again']);
    const refused = await perdure(['agents', 'delete', 'ada again'], { confirms: false });
    const deleted = await perdure(['agents', 'delete', 'ada again'], { confirms: true });

    expect(made.output).toMatch(/^ada {2}agent-[\da-f-]{36}\n$/);
    expect(listed.output).toMatch(
      /^name +id +model +type +made\nada +agent-\S+ +perdure\/demo +memgpt_agent +\S/,
    );
    expect(shown.output).toContain('human, 10 of 2000 characters, revision 1\nLikes tea.');
    expect(imported).toMatchObject({ code: 0, output: expect.stringMatching(/^agent-/) as unknown });
    expect(copy).toMatchObject({ name: 'ada again', blocks: [{ value: 'Likes tea.' }] });
    expect([unasked.code, refused.code, deleted.code]).toEqual([2, 0, 0]);
    expect(await perdure(['agents', 'show', 'ada again'])).toMatchObject({ code: 5 });
  });

  it('[cli.blocks] shows, edits, compares, blames, undoes and redoes', async () => {
    const agent = await runtime.anAgent({
      name: 'blocky',
      blocks: [{ label: 'human', value: 'Likes tea.' }],
    });
    const block = ['blocky', 'human'];

    const appended = await perdure(['blocks', 'edit', ...block, '--append', 'Lives in Oslo.']);
    const edited = await perdure(['blocks', 'edit', ...block], {
      edits: (text) => text.replace('tea', 'coffee'),
    });
    const unchanged = await perdure(['blocks', 'edit', ...block], { edits: (text) => text });
    const difference = await perdure(['blocks', 'diff', ...block, '--from', '1']);
    const history = await perdure(['blocks', 'history', ...block]);
    const blame = await perdure(['blocks', 'blame', ...block]);
    const asOf = await perdure(['blocks', 'show', ...block, '--as-of', '1']);
    const undone = await perdure(['blocks', 'undo', ...block]);
    const redone = await perdure(['blocks', 'redo', ...block]);

    expect(appended.output).toBe('human is at revision 2.\n  Likes tea.\n+ Lives in Oslo.\n');
    expect(edited.output).toBe('human is at revision 3.\n- Likes tea.\n+ Likes coffee.\n  Lives in Oslo.\n');
    expect(unchanged.output).toBe('Nothing changed.\n');
    expect(difference.output).toMatch(
      /^human, revision 1 to 3\n@@.*\n-Likes tea\.\n\+Likes coffee\.\n\+Lives in Oslo\.\n$/,
    );
    expect(history.output.match(/^ +\d+ +\w+ +user/gm)).toHaveLength(3);
    expect(blame.output).toMatch(/\n +3 +user .*Likes coffee\.\n +2 +user .*Lives in Oslo\.\n$/);
    expect(asOf.output).toBe('human  10 of 2000 characters, revision 1\nLikes tea.\n');
    expect(undone.output).toContain('- Likes coffee.\n+ Likes tea.');
    expect(redone.output).toContain('+ Likes coffee.');
    expect(
      (await runtime.blocks.retrieve((await read<{ id: string }>('blocks', 'show', ...block)).id)).value,
    ).toBe('Likes coffee.\nLives in Oslo.');
    expect(await perdure(['blocks', 'show', agent.id, 'nothing'])).toMatchObject({
      code: 5,
      told: "blocky has no block 'nothing'. It has: human.\n",
    });
  });

  it('[cli.blocks] does not overwrite what others wrote while the editor was open', async () => {
    await runtime.anAgent({ name: 'contested', blocks: [{ label: 'human', value: 'Likes tea.' }] });
    const { id } = await read<{ id: string }>('blocks', 'show', 'contested', 'human');
    let others: Promise<unknown> = Promise.resolve();

    const edited = await runCli(
      ['blocks', 'edit', id],
      { PERDURE_URL: url },
      {
        edits: (text) => {
          others = runtime.blocks.change(id, { kind: 'append', content: 'Sails.' });
          return `${text}Mine.`;
        },
        afterEdit: () => others,
      },
    );

    expect(edited).toMatchObject({ code: 1, told: expect.stringContaining('+Sails.') as unknown });
    expect((await runtime.blocks.retrieve(id)).value).toBe('Likes tea.\nSails.');
  });

  it('[cli.runs] lists turns, follows one to its end, shows its steps, and cancels', async () => {
    const agent = await runtime.anAgent({
      name: 'runner',
      blocks: [{ label: 'human', value: 'Likes tea.' }],
    });
    models.script(
      callOf('core_memory_append', { label: 'human', content: 'Runs.', request_heartbeat: true }),
    );
    models.script(saying('I noted it.'));
    const turn = await runtime.tell(agent, 'I run.');

    const listed = await perdure(['runs', 'list', 'runner']);
    const watched = await perdure(['runs', 'watch', turn.id]);
    const steps = await perdure(['runs', 'steps', turn.id]);
    const cancelled = await perdure(['runs', 'cancel', turn.id]);

    expect(listed.output).toMatch(new RegExp(`\n${turn.id} +agent-\\S+ +completed +end_turn`));
    expect(watched.output).toContain('→ core_memory_append(label: human, content: Runs.)\n← Memory block');
    expect(watched.output).toContain('agent  I noted it.');
    expect(steps.output.match(/step-/g)).toHaveLength(2);
    expect(cancelled.output).toBe(`${turn.id} is completed.\n`);
  });

  it('[cli.cost] shows the cost of runs and steps when prices are set, and nothing when it is unknown', async () => {
    const prices = { 'openai/gpt-4o-mini': { input: 1, cachedInput: 0.5, output: 4 } };
    const priced = createRuntimeApp(runtime, { prices });
    const at = await priced.listen({ host: '127.0.0.1', port: 0 });
    const asPriced = (...args: string[]): Promise<Ended> => runCli(args, { PERDURE_URL: at });
    const agent = await runtime.anAgent({ name: 'spender', model: 'openai/gpt-4o-mini' });
    const usage = { ...noUsage, promptTokens: 20_000, cachedTokens: 10_000, completionTokens: 1_000 };
    models.script({ ...saying('Done.'), usage: { ...usage, totalTokens: 21_000 } }, saying('Uncounted.'));
    const counted = await runtime.tell(agent, 'Spend.');
    const uncounted = await runtime.tell(agent, 'Spend more.');

    const listed = await asPriced('runs', 'list', 'spender');
    const steps = await asPriced('runs', 'steps', counted.id);
    const unknown = await asPriced('runs', 'steps', uncounted.id);
    const unpriced = await perdure(['runs', 'list', 'spender']);
    await priced.close();

    expect(listed.output).toMatch(/^run .* when +cost\n/);
    expect(listed.output).toMatch(new RegExp(`\n${counted.id} .* \\$0\\.0190\n`));
    expect(listed.output).toMatch(new RegExp(`\n${uncounted.id} .* (ago|now) *\n`));
    expect(steps.output.match(/\$0\.0190\n/g)).toHaveLength(2);
    expect([unknown.output, unpriced.output].join()).not.toMatch(/cost|\$/);
  });

  it('[cli.schedules] schedules messages, lists them, pauses, resumes and deletes', async () => {
    await runtime.anAgent({ name: 'planner' });
    const when = ['--cron', '30 3 29 2 *', '--timezone', 'Europe/Oslo'];
    const made = await perdure(['schedules', 'create', 'planner', 'It is time.', ...when]);
    const id = made.output.trim();

    const listed = await perdure(['schedules', 'list', 'planner']);
    await perdure(['schedules', 'pause', 'planner', id]);
    const paused = await perdure(['schedules', 'list', 'planner']);
    await perdure(['schedules', 'resume', 'planner', id]);
    const deleted = await perdure(['schedules', 'delete', 'planner', id]);

    expect(listed.output).toMatch(new RegExp(`\n${id} +30 3 29 2 \\* Europe/Oslo +in \\d+ d +It is time\\.`));
    expect(paused.output).toMatch(new RegExp(`\n${id} +paused`));
    expect(deleted.code).toBe(0);
    expect((await perdure(['schedules', 'list', 'planner'])).output).toBe('planner has no schedules.\n');
    expect(await perdure(['schedules', 'create', 'planner', 'When?'])).toMatchObject({ code: 2 });
  });

  it('[cli.search] finds messages and passages', async () => {
    const agent = await runtime.anAgent({ name: 'finder' });
    models.script(saying('A narwhal is a whale.'));
    await runtime.tell(agent, 'What is a narwhal?');

    const found = await perdure(['search', 'narwhal', '--agent', 'finder']);
    const passages = await perdure(['search', 'narwhal', '--agent', 'finder', '--passages']);

    expect(found.output).toMatch(/user_message +.*What is a narwhal\?/);
    expect(found.output).toMatch(/assistant_message +.*A narwhal is a whale\./);
    expect(passages.output).toBe('Nothing found.\n');
  });

  it('[cli.sleep] refines memory, and accepts or rejects what waits for review', async () => {
    const blocks = [{ label: 'human', value: 'Likes tea.' }];
    const { agent } = await aPair(runtime, { refinement: { review: true } }, { name: 'sleeper', blocks });
    models.script(saying('Good for you.'));
    await runtime.tell(agent, 'I live in Oslo.');
    const change = { label: 'human', old_string: 'Likes tea.', new_string: 'Likes tea.\nLives in Oslo.' };
    models.script(callOf('memory_replace', change), callOf('memory_finish_edits', {}));

    const ran = await perdure(['sleep', 'run', 'sleeper']);
    const accepted = await perdure(['sleep', 'accept', 'sleeper']);
    const listed = await perdure(['sleep', 'list', 'sleeper']);
    const again = await perdure(['sleep', 'reject', 'sleeper']);

    expect(ran).toMatchObject({ code: 0, told: 'Waiting for the refinement …\n' });
    expect(ran.output).toMatch(/in_review[\s\S]*\nhuman\n[\s\S]*\n\+Lives in Oslo\./);
    expect(accepted.output).toContain('completed');
    expect(listed.output).toMatch(/completed +hand +human/);
    expect(again).toMatchObject({ code: 5, told: 'There is no such refinement.\n' });
    expect((await read<{ value: string }>('blocks', 'show', 'sleeper', 'human')).value).toContain('Oslo');
  });

  it('[cli.sleep-schedules] schedules refinements, lists them, pauses, resumes and deletes', async () => {
    await aPair(runtime, {}, { name: 'dreamer', blocks: [{ label: 'human', value: 'Likes tea.' }] });
    const schedules = (...args: string[]): Promise<Ended> => perdure(['sleep', 'schedules', ...args]);
    const when = ['--cron', '30 3 29 2 *', '--timezone', 'Europe/Oslo', '--note', 'leap nights'];

    const none = await schedules('list', 'dreamer');
    const made = await schedules('create', 'dreamer', ...when);
    const id = made.output.trim();
    const listed = await schedules('list', 'dreamer');
    const paused = await schedules('pause', 'dreamer', id);
    const still = await schedules('list', 'dreamer');
    const resumed = await schedules('resume', 'dreamer', id);
    const shown = await read<{ id: string; paused: boolean }[]>('sleep', 'schedules', 'list', 'dreamer');
    const wrong = await schedules('create', 'dreamer', '--cron', 'at night');
    const deleted = await schedules('delete', 'dreamer', id);
    const again = await schedules('delete', 'dreamer', id);

    expect(none.output).toBe("dreamer's memory is refined by no schedule.\n");
    expect(id).toMatch(/^schedule-/);
    expect(listed.output).toMatch(
      new RegExp(`\n${id} +30 3 29 2 \\* Europe/Oslo +in \\d+ \\S+ +leap nights\n`),
    );
    expect(paused.output).toBe(`${id}: pause is done.\n`);
    expect(still.output).toMatch(new RegExp(`\n${id} +paused`));
    expect([resumed.code, shown]).toMatchObject([0, [{ id, paused: false }]]);
    expect(wrong).toMatchObject({ code: 1, told: expect.stringContaining('Give five fields') as unknown });
    expect([deleted.code, again.code]).toEqual([0, 5]);
  });

  it('[cli.json] writes one JSON value, even for an empty table', async () => {
    expect(await read('agents', 'list', '--name', 'nobody at all')).toEqual([]);
    expect(await read<{ handle: string }[]>('models')).toEqual(
      expect.arrayContaining([expect.objectContaining({ handle: 'perdure/demo' })]),
    );
  });

  it('[cli.errors] reports each kind of failure by its exit code, and says what to do', async () => {
    const nobody = await perdure(['agents', 'show', 'nobody']);
    const unknown = await perdure(['agents', 'lsit']);
    const down = await runCli(['agents', 'list', '--url', 'http://127.0.0.1:9'], {});
    const wrong = await perdure(['blocks', 'show', 'nobody', '--as-of', 'soon']);

    expect(nobody).toEqual({
      ...{ code: 5, output: '' },
      told: "There is no agent 'nobody'. perdure agents list shows all.\n",
    });
    expect(unknown).toMatchObject({
      code: 2,
      output: '',
      told: expect.stringContaining('Did you mean list?') as unknown,
    });
    expect(down).toMatchObject({
      code: 3,
      output: '',
      told: expect.stringContaining('Start one with npm start') as unknown,
    });
    expect(wrong.code).toBe(5);
  });

  it('[cli.errors] says that a password is required', async () => {
    const guarded = createRuntimeApp(runtime, { password: 'open sesame' });
    const at = await guarded.listen({ host: '127.0.0.1', port: 0 });

    const refused = await runCli(['agents', 'list'], { PERDURE_URL: at });
    const allowed = await runCli(['agents', 'list'], { PERDURE_URL: at, PERDURE_TOKEN: 'open sesame' });
    await guarded.close();

    expect(refused).toMatchObject({ code: 4, told: expect.stringContaining('PERDURE_TOKEN') as unknown });
    expect(allowed.code).toBe(0);
  });

  it('[cli.doctor] reports whether each part is in order', async () => {
    const env = { PERDURE_HOME: makeTemporaryDirectory('doctor') };
    const well = await runCli(['doctor'], { ...env, PERDURE_URL: url });
    const ill = await runCli(['doctor'], { ...env, PERDURE_URL: 'http://127.0.0.1:9' });

    expect(well.code).toBe(0);
    expect(well.output).toMatch(/^✓ node +v\d+/m);
    expect(well.output).toMatch(/^✓ server +http:/m);
    expect(well.output).toMatch(/^✓ turns +\d+ active/m);
    expect(ill).toMatchObject({ code: 1, told: '1 of 8 things are not in order.\n' });
    expect(ill.output).toMatch(/^✗ server +No server answers at .*\n +Start one with npm start/m);
  });

  it('[cli.import] imports a folder of agent files once, and skips those that it cannot import', async () => {
    const folder = makeTemporaryDirectory('letta');
    await runtime.anAgent({ name: 'mover', blocks: [{ label: 'human', value: 'Moves.' }] });
    await perdure(['agents', 'export', 'mover', '-o', join(folder, 'b.af')]);
    writeFileSync(join(folder, 'a.af'), '{"agents": "none"}');
    writeFileSync(join(folder, 'notes.txt'), 'not an agent');
    mkdirSync(join(folder, 'empty'));

    const model = ['--model', 'perdure/demo'];
    const imported = await perdure(['import-letta', folder, ...model]);
    const again = await perdure(['import-letta', folder, ...model, '--json']);

    expect(imported).toMatchObject({
      code: 1,
      told: expect.stringContaining('1 of 2 files were not imported.') as unknown,
    });
    expect(imported.output).toMatch(/\na\.af +The server answered 4\d\d/);
    const [, id] = /\nb\.af +(agent-\S+)/.exec(imported.output) ?? [];
    expect(JSON.parse(again.output)).toMatchObject([{ file: 'a.af' }, { file: 'b.af', agent_ids: [id] }]);
    expect(await perdure(['import-letta', join(folder, 'empty')])).toMatchObject({ code: 2 });
    expect(readFileSync(join(folder, 'b.af'), 'utf8')).toContain('Moves.');
  });
});
