import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StackFile } from '../../adapters/settings/endpoints.js';
import { packageFile } from '../../stack/processes.js';
import { installPackage, type InstalledPackage } from './installed-package.js';
import { describeQuickstart, isAlive, partsOf, randomFacts } from './quickstart-checks.js';
import { type QuickstartProcess, spawnQuickstart } from './quickstart-process.js';

/** For packing, installing and the quickstart, on a busy machine. */
const patienceMs = 600_000;

const extension = `
import { ChatMemory, defineExtension, memoryTool } from 'perdure/extensions';

const note = memoryTool({
  name: 'note_down',
  description: 'Notes something down.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  sections: ['notes'],
  edit: ({ text }) => [{ section: 'notes', kind: 'append', content: String(text) }],
});

export class Notes extends ChatMemory {
  static override readonly tools = [...ChatMemory.tools, note];

  constructor(persona: string, human: string) {
    super({ persona, human });
    this.addSection({ label: 'notes', value: 'none yet', limit: 500, description: 'What you noted down.' });
  }
}

export default defineExtension({ name: 'notes', version: '1', memory: Notes });
`;

const script = `
import { connect, SettingsError } from 'perdure';
import { createWorker } from 'perdure/worker';
import { agentTurnType } from 'perdure/workflows';
import { Notes } from './extension.js';

const perdure = await connect();
const agent = await perdure.agents.create({ name: 'sam', model: 'perdure/demo', memory: new Notes('I note.', 'Name: ?') });
const { turn } = await perdure.turns.send({
  threadId: agent.id,
  messages: [{ role: 'user', content: 'I live in Oslo.' }],
});
const kinds = new Set<string>();
for await (const { event } of perdure.turns.watch(turn.id)) kinds.add(event.kind);
const { stopReason } = await perdure.turns.result(turn.id);
const blocks = await perdure.agents.blocks(agent.id);
const human = blocks.find(({ label }) => label === 'human');
const revisions = await perdure.blocks.revisions(human?.id ?? '');
await perdure.turns.cancel(turn.id);
const schedules = await perdure.schedules.list({ kind: 'message', agentId: agent.id });
const name: string = agentTurnType;
// @ts-expect-error A message has a content.
const wrong: Parameters<typeof perdure.turns.send>[0]['messages'] = [{ role: 'user' }];
const told = {
  ...{ kinds: [...kinds], stopReason, labels: blocks.map(({ label }) => label), human: human?.value },
  ...{ revisions: revisions.length, schedules: schedules.length, name, wrong: wrong.length },
  ...{ worker: typeof createWorker, error: new SettingsError([]).name },
};
console.log(JSON.stringify(told));
await perdure.close();
`;

const tsconfig = JSON.stringify({
  compilerOptions: {
    ...{ target: 'es2023', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true },
    ...{ lib: ['es2023'], types: ['node'] },
    typeRoots: [packageFile('node_modules/@types')],
  },
  files: ['script.ts', 'extension.ts'],
});

/** Tells of every module that is loaded, and of every package that one requires. */
const witness = `
import Module, { register } from 'node:module';
const tell = \`export async function load(url, context, next) {
  process._rawDebug('loaded ' + url);
  return next(url, context);
}\`;
register('data:text/javascript,' + encodeURIComponent(tell));
`;

/** What is to be shown of this package where it is installed, by npm or with links to a clone's packages. */
export function describePackage(by: 'npm' | 'links'): void {
  // In this order: each test goes on where the one before it ended, because a start takes seconds.
  describe('the package', () => {
    let installed: InstalledPackage;
    let quickstart: QuickstartProcess | undefined;
    let running: StackFile;
    const home = () => join(installed.directory, 'home');
    const output = () => quickstart?.output() ?? '';
    const start = (...command: readonly string[]) =>
      spawnQuickstart(home(), command, {
        cwd: installed.directory,
        env: { PERDURE_EXTENSIONS: './extension.ts' },
      });
    const countAgents = async () => (await (await fetch(`${running.api}/v1/agents/count`)).json()) as number;
    let agents: number;

    beforeAll(async () => {
      installed = await installPackage(by);
      installed.write('extension.ts', extension);
      installed.write('script.ts', script);
      installed.write('tsconfig.json', tsconfig);
      quickstart = start('npx', 'perdure', 'quickstart', ...randomFacts);
      running = await quickstart.up();
    }, patienceMs);

    afterAll(() => quickstart?.interrupt());

    it('[package.installs] is small, holds what was compiled, and shows the quickstart where it is installed', () => {
      expect(installed.tarballBytes).toBeLessThan(5_000_000);
      const strange = installed.files.filter(
        (file) =>
          !/^dist\/.+\.(js|mjs|py|d\.ts|js\.map)$|^dist\/studio\/(index\.html|icon\.svg|assets\/[^/]+\.(css|css\.gz|js\.gz))$|^(package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/package\.json)$/.test(
            file,
          ),
      );
      expect(strange).toEqual([]);
      expect(installed.files.filter((file) => /(^|\/)(test|bench|examples)\//.test(file))).toEqual([]);
      expect(output().match(/✓/g)).toHaveLength(6);
      expect(output()).not.toContain('✗');
      expect(output()).toContain('npx perdure start brings it back with all data');
    });

    it('[package.client] [package.extensions] is a library for a script, which type-checks', async () => {
      const tsc = packageFile('node_modules/typescript/bin/tsc');
      const checking = installed.run(process.execPath, [tsc, '-p', '.']);
      const output = await installed.run(process.execPath, ['--import', 'tsx', 'script.ts'], {
        PERDURE_HOME: home(),
      });

      expect(await checking).toBe('');
      expect(JSON.parse(output)).toEqual({
        kinds: expect.arrayContaining(['message', 'ended']) as unknown,
        stopReason: 'end_turn',
        labels: ['persona', 'human', 'notes'],
        human: 'Name: ?\nLives in Oslo',
        ...{ revisions: 2, schedules: 0, name: 'agentTurn', wrong: 1, worker: 'function' },
        error: 'SettingsError',
      });
    });

    it('[package.light] loads no server, worker or database driver before it connects', async () => {
      installed.write('witness.mjs', witness);
      const light =
        "import { createRequire } from 'node:module'; await import('perdure'); await import('perdure/workflows');";
      const required = 'console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));';
      installed.write('light.mjs', `${light} ${required}`);
      const { directory } = installed;
      const said = await installed.run('sh', ['-c', `node --import ./witness.mjs light.mjs 2>&1`]);

      const packages = new Set(
        [...said.matchAll(/node_modules\/((?:@[^/"]+\/)?[^/"]+)/g)].map(([, name]) => name),
      );
      expect(directory).not.toBe('');
      expect([...packages].sort()).toContain('perdure');
      for (const heavy of ['fastify', 'pg', 'kysely', 'openai', '@temporalio/worker', '@temporalio/client'])
        expect([...packages]).not.toContain(heavy);
    });

    describeQuickstart(() => ({ home: home(), process: quickstart!, running }));

    it('[stack.one-owner] its command alone is the quickstart, which is refused on the same data while it runs', async () => {
      agents = await countAgents();
      const second = start('node_modules/.bin/perdure');

      expect(await second.ended).toBe(1);
      expect(second.output()).toContain(
        `A stack already runs on ${home()}: process ${running.pid}, its API is ${running.api}`,
      );
      expect(await countAgents()).toBe(agents);
    });

    it('[stack.stop] stops on Ctrl-C', async () => {
      const pids = [running.pid, ...partsOf(home())];
      await quickstart?.interrupt();
      expect(output()).toMatch(/Stopped\.\n$/);
      expect(pids).toHaveLength(5);
      expect(pids.filter(isAlive)).toEqual([]);
    });

    // Beside the tests, as npm's own installation: it starts a whole stack once more.
    if (by === 'links') return;

    it('[stack.data-stays] [stack.quickstart] leaves its data to a clone’s `npm run quickstart`, which ends by itself when told to', async () => {
      const options = ['--once', '--name', 'Ada'];
      quickstart = spawnQuickstart(home(), ['npm', 'run', '--silent', 'quickstart', '--', ...options]);

      expect(await quickstart.ended).toBe(0);
      expect(output()).toContain(`This data directory holds ${String(agents)} agents of earlier runs`);
      expect(output()).not.toContain('✗');
      expect(partsOf(home())).toEqual([]);
    });
  });
}
