import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { packageScripts, projectRoot } from '../support/house/project-files.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

const execute = promisify(execFile);
const patienceMs = 180_000;

/** Runs `npm run docs` with these options. Returns its exit code and output. */
async function build(...options: readonly string[]): Promise<{ code: number; said: string }> {
  const args = [join(projectRoot, 'node_modules/typedoc/bin/typedoc'), ...options];
  try {
    const { stdout, stderr } = await execute(process.execPath, args, { cwd: projectRoot });
    return { code: 0, said: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, said: stdout + stderr };
  }
}

describe('the documentation site', () => {
  const site = join(makeTemporaryDirectory('site'), 'site');
  let built: { code: number; said: string };

  beforeAll(async () => {
    built = await build('--out', site);
  }, patienceMs);

  it('[package.reference] builds without a warning, so every export of the four entries is documented', () => {
    expect(packageScripts()['docs']).toBe('typedoc');
    expect(built).toEqual({ code: 0, said: expect.not.stringContaining('warning') as unknown });
    const modules = readdirSync(join(site, 'modules')).filter((name) => !name.includes('signatures'));
    expect(modules.sort()).toEqual([
      ...['perdure.html', 'perdure_extensions.html', 'perdure_worker.html', 'perdure_workflows.html'],
    ]);
    const documents = readdirSync(join(projectRoot, 'docs')).filter((name) => name.endsWith('.md'));
    const pages = readdirSync(join(site, 'documents')).map((name) => name.replace('.html', '.md'));
    expect(pages).toEqual(expect.arrayContaining(documents));
  });

  it('[package.reference] has no dead link', () => {
    const pages = new Map(
      readdirSync(site, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.html'))
        .map((name) => [join(site, name), readFileSync(join(site, name), 'utf8')]),
    );
    const dead = [...pages].flatMap(([page, text]) =>
      linksOf(text)
        .filter((link) => !hasTarget(pages, page, link))
        .map((link) => `${relative(site, page)} → ${link}`),
    );

    expect(pages.size).toBeGreaterThan(100);
    expect(dead).toEqual([]);
  });

  it(
    '[package.reference] fails to build if a document links to a missing file',
    async () => {
      const directory = makeTemporaryDirectory('dead-link');
      const file = (name: string, text: string): string => {
        writeFileSync(join(directory, name), text);
        return join(directory, name);
      };
      file('entry.ts', '/** One. @module one */\n/** One. */\nexport const one = 1;\n');
      // Without the standard library, which takes most of the computing.
      const compilerOptions = { noLib: true, types: [] };
      file('tsconfig.json', JSON.stringify({ compilerOptions, include: ['entry.ts'] }));
      file('page.md', 'See [nothing](nothing.md).\n');
      const own = { entryPoints: ['entry.ts'], projectDocuments: ['page.md'], readme: 'none', out: 'site' };
      const shared = { extends: [join(projectRoot, 'typedoc.json')], tsconfig: 'tsconfig.json' };
      const options = file('typedoc.json', JSON.stringify({ ...shared, ...own }));

      const { code, said } = await build('--options', options);

      expect(code).not.toBe(0);
      expect(said).toContain('nothing.md');
      expect(existsSync(join(directory, 'site'))).toBe(false);
    },
    patienceMs,
  );
});

/** The links to places within the site. */
function linksOf(text: string): readonly string[] {
  const links = [...text.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, link = '']) => link);
  return [...new Set(links)].filter((link) => !/^([a-z]+:|\/\/)/.test(link));
}

function hasTarget(pages: ReadonlyMap<string, string>, page: string, link: string): boolean {
  const [path = '', anchor] = link.replaceAll('&amp;', '&').split('#');
  const target = path === '' ? page : join(dirname(page), decodeURIComponent(path.replace(/\?.*$/, '')));
  const text = pages.get(target);
  if (text === undefined) return existsSync(target);
  if (anchor === undefined || anchor === '') return true;
  const isHere = (id: string): boolean => text.includes(`id="${decodeURIComponent(id)}"`);
  // A member without its own anchor: its link leads to its own line.
  return isHere(anchor) || (path === '' && isHere(`${anchor}-1`));
}
