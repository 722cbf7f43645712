import { lstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeUsable } from '../../stack/postgres-binaries.js';

const stranger = { name: 'stranger', uid: 54_321, gid: 54_321 };
let directory: string;
let said: string[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'perdure-binaries-'));
  said = [];
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** A package as npm leaves it where install scripts are blocked: without its links. */
function packageWithoutLinks(): { directory: string; version: string } {
  const lib = join(directory, 'package', 'native', 'lib');
  mkdirSync(lib, { recursive: true });
  writeFileSync(join(lib, 'libicu.so.60.2'), 'icu');
  const links = [{ source: 'native/lib/libicu.so.60.2', target: 'native/lib/libicu.so.60' }];
  writeFileSync(join(directory, 'package', 'native', 'pg-symlinks.json'), JSON.stringify(links));
  return { directory: join(directory, 'package'), version: '18.0' };
}

const use = (user: typeof stranger | undefined) =>
  makeUsable(packageWithoutLinks(), {
    user,
    cacheDir: join(directory, 'cache'),
    onProgress: (line) => said.push(line),
  });

describe('the binaries of PostgreSQL', () => {
  it('get the links that a blocked install script would have made', () => {
    const native = use(undefined);

    expect(native).toBe(join(directory, 'package', 'native'));
    expect(readlinkSync(join(native, 'lib', 'libicu.so.60'))).toBe('libicu.so.60.2');
    expect(said).toEqual([]);
  });

  it('are copied, once, to where the user of PostgreSQL can enter', () => {
    const native = use(stranger);

    expect(native).toBe(join(directory, 'cache', 'postgres', '18.0', 'native'));
    expect(lstatSync(join(native, 'lib', 'libicu.so.60')).isSymbolicLink()).toBe(true);
    expect(use(stranger)).toBe(native);
    expect(said).toHaveLength(1);
  });
});
