import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { isUnkept, keepProgram } from '../../adapters/settings/program-cache.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

const longAgo = new Date('2026-01-01T00:00:00Z');

describe('[stack.compiled] a compiled program on disk', () => {
  let directory: string;
  let compiled: string[];
  const a = (name: string, hash: string) => ({
    name,
    hash,
    compile: () => {
      compiled.push(name);
      return Promise.resolve(`console.log('${hash}');`);
    },
  });
  const worker = a('worker', '1');

  beforeEach(() => {
    directory = join(makeTemporaryDirectory('programs'), 'cache');
    compiled = [];
  });

  it('is compiled and written once for its sources, and marked as started', async () => {
    const path = await keepProgram(directory, worker);
    utimesSync(path, longAgo, longAgo);
    const { ino } = statSync(path);

    expect(await keepProgram(directory, worker)).toBe(path);

    expect(compiled).toEqual(['worker']);
    expect(readFileSync(path, 'utf8')).toBe(`console.log('1');`);
    expect(readdirSync(directory)).toHaveLength(1);
    expect(statSync(path)).toMatchObject({ ino });
    expect(statSync(path).mtimeMs).toBeGreaterThan(longAgo.getTime());
  });

  it('takes the place of those that nobody started for a month', async () => {
    const old = await keepProgram(directory, worker);
    const broken = `${old}.4711`;
    writeFileSync(broken, 'console');
    for (const path of [old, broken]) utimesSync(path, longAgo, longAgo);
    const recent = await keepProgram(directory, a('worker', '2'));
    const server = await keepProgram(directory, a('server', '2'));

    const newest = await keepProgram(directory, a('worker', '3'));

    expect([recent, server, newest].map(existsSync)).toEqual([true, true, true]);
    expect([old, broken].map(existsSync)).toEqual([false, false]);
  });

  it('is given up where the disk is full or not ours to write to, and nowhere else', async () => {
    const path = await keepProgram(directory, worker);
    rmSync(path);
    mkdirSync(path);

    await expect(keepProgram(directory, worker)).rejects.toMatchObject({ code: 'EISDIR' });
    const refusals = ['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT'];
    expect(refusals.filter((code) => isUnkept({ code }))).toEqual(refusals);
    expect([isUnkept({ code: 'EISDIR' }), isUnkept(new SyntaxError('x'))]).toEqual([false, false]);
  });
});
