import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { variables } from '../../adapters/settings/variables.js';
import { packageScripts, projectRoot, readProjectFile } from '../support/house/project-files.js';

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(projectRoot, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const names = Object.keys(variables.shape);
const defaults: Readonly<Record<string, unknown>> = variables.parse({});

function defaultOf(name: string): string | undefined {
  const value = defaults[name];
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

/** The rows of the settings table: variable, default, meaning. */
function settingRows(): string[][] {
  return readProjectFile('docs/settings.md')
    .split('\n')
    .filter((line) => /^\| `[A-Z]/.test(line))
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    );
}

describe('[house.settings-listed] the settings', () => {
  it('are all in docs/settings.md, in the order of the code, with their defaults', () => {
    const rows = settingRows();
    expect(rows.map(([name]) => name)).toEqual(names.map((name) => `\`${name}\``));
    for (const [cell = '', value = '', meaning = ''] of rows) {
      const name = cell.replaceAll('`', '');
      const expected = name === 'PERDURE_HOME' ? '~/.perdure' : defaultOf(name);
      expect([name, value]).toEqual([name, expected === undefined ? '' : `\`${expected}\``]);
      expect(meaning).toMatch(/\.$/);
    }
  });

  it('are all in .env.example, commented out, with their defaults', () => {
    const lines = readProjectFile('.env.example').split('\n');
    for (const name of names) {
      const found = lines.filter((line) => line.startsWith(`#${name}=`));
      expect([name, found.length]).toEqual([name, 1]);
      const expected = defaultOf(name);
      if (expected !== undefined) expect(found[0]).toBe(`#${name}=${expected}`);
    }
    expect(lines.filter((line) => /^[^#\s]/.test(line))).toEqual([]);
  });

  it('that docker-compose.yml requires are in .env.example too', () => {
    const required = [...readProjectFile('docker-compose.yml').matchAll(/\$\{(\w+):\?/g)].map(
      ([, name]) => name,
    );
    const listed = readProjectFile('.env.example');
    expect([...new Set(required)].sort()).toEqual([
      ...['LETTA_SERVER_PASSWORD', 'POSTGRES_PASSWORD', 'TEMPORAL_POSTGRES_PASSWORD'],
    ]);
    for (const name of required) expect(listed).toContain(`#${name ?? ''}=`);
  });
});

/** Commands of npm itself. */
const npmsOwn = ['ci', 'i', 'pack'];

describe('[house.readme-commands] the documents', () => {
  it.each(documents)('name existing npm commands: %s', (document) => {
    const scripts = packageScripts();
    const commands = [...readProjectFile(document).matchAll(/(?<=^|`|&& )npm (run [\w:-]+|[a-z]+)/gm)].map(
      ([, command]) => command ?? '',
    );
    const unknown = commands.filter(
      (command) => !npmsOwn.includes(command) && !(command.replace('run ', '') in scripts),
    );
    expect(unknown).toEqual([]);
  });

  it('begin with the two commands that a newcomer needs', () => {
    const blocks = [...readProjectFile('README.md').matchAll(/^```sh\n([^`]+)```/gm)].map(([, code]) =>
      code?.trim(),
    );
    expect(blocks.slice(0, 2)).toEqual(['npm ci && npm run quickstart', 'npm test']);
  });

  it.each(documents)('link to and name existing files: %s', (document) => {
    const text = readProjectFile(document);
    const links = [...text.matchAll(/\]\(([^):#]+)(?:#[^)]*)?\)/g)].map(([, path]) =>
      join(dirname(document), path ?? ''),
    );
    const files = [...text.matchAll(/`([\w.-]+\/[\w./-]*)`/g)].map(([, path]) => path ?? '');
    // Generated files are not in a checkout.
    const kept = files.filter((path) => !path.startsWith('.cache/'));
    const ours = kept.filter((path) => existsSync(join(projectRoot, path.split('/')[0] ?? '')));
    expect([...links, ...ours].filter((path) => !existsSync(join(projectRoot, path)))).toEqual([]);
  });

  it('name scripts with existing programs', () => {
    const ours = Object.entries(packageScripts()).filter(([, script]) => /\btsx\b/.test(script));
    expect(ours.map(([name]) => name)).toContain('quickstart');
    for (const [name, script] of ours) {
      const [, file] = /--import tsx (\S+)/.exec(script) ?? [];
      expect([name, file !== undefined && existsSync(join(projectRoot, file))]).toEqual([name, true]);
    }
  });

  it('describe a check that can run', () => {
    expect(() => {
      accessSync(join(projectRoot, '.ci/run'), constants.X_OK);
    }).not.toThrow();
    expect(readProjectFile('.ci/run')).not.toMatch(/https?:\/\//);
  });

  it('have the licence that package.json names', () => {
    expect(JSON.parse(readProjectFile('package.json'))).toMatchObject({ license: 'Apache-2.0' });
    expect(readProjectFile('LICENSE')).toMatch(/^\s+Apache License\n\s+Version 2\.0, January 2004/);
  });
});
