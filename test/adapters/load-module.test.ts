import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadModule } from '../../adapters/extensions/load-module.js';
import { SettingsError } from '../../adapters/settings/settings-error.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

const variable = 'PERDURE_EXTENSIONS';

function aModule(file: string, code: string): string {
  const path = join(makeTemporaryDirectory('module'), file);
  writeFileSync(path, code);
  return path;
}

async function refusalOf(name: string): Promise<string> {
  try {
    await loadModule({ variable, name });
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.map(({ message }) => message).join('\n');
    throw error;
  }
  throw new Error('It was loaded.');
}

describe('[ext.module] a user’s module', () => {
  it('is found by an absolute path, a relative path and as a package', async () => {
    const path = aModule('mine.mjs', 'export default 1; export const two = 2;');

    expect(await loadModule({ variable, name: path })).toEqual({ default: 1, two: 2 });
    expect(await loadModule({ variable, name: relative(process.cwd(), path) })).toEqual({
      default: 1,
      two: 2,
    });
    expect(await loadModule({ variable, name: 'kysely' })).toHaveProperty('Kysely');
  });

  it('may be TypeScript', async () => {
    const path = aModule(
      'typed.ts',
      'interface A { readonly b: number }\nexport default { b: 1 } satisfies A;',
    );

    expect(await loadModule({ variable, name: path })).toMatchObject({ default: { b: 1 } });
  });

  it('may be CommonJS with nested exports', async () => {
    const path = aModule(
      'old.cjs',
      'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = 1; exports.two = 2;',
    );

    expect(await loadModule({ variable, name: path })).toMatchObject({ default: 1, two: 2 });
  });

  it.each([
    ['./nowhere.ts', /^names \.\/nowhere\.ts, but there is no file \/.*nowhere\.ts\./],
    ['nowhere/mine.js', /^names nowhere\/mine\.js, but there is no file \/.*mine\.js\./],
    ['no-such-package', /^names no-such-package, which can't be loaded: .*no-such-package/],
  ])('is refused with the reason if it cannot be found: %s', async (name, sentence) => {
    expect(await refusalOf(name)).toMatch(sentence);
  });

  it('is refused with its own error if loading fails', async () => {
    expect(await refusalOf(aModule('throws.mjs', 'throw new TypeError("no luck\\nat all");'))).toMatch(
      /throws\.mjs, which can't be loaded: TypeError: no luck$/,
    );
    expect(await refusalOf(aModule('broken.mjs', 'export const = 1;'))).toMatch(/SyntaxError: /);
  });
});
