import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectRoot, readProjectFile } from '../support/project-files.js';

const secondsOf = JSON.parse(readProjectFile('test/support/seconds.json')) as Readonly<
  Record<string, number>
>;

/** As jest names a file of which it knows nothing. */
const aTest = (file: string) => ({
  path: join('/project', file),
  context: { config: { rootDir: '/project', cache: false }, hasteFS: { getSize: () => 1_000 } },
});

interface Sequencing {
  readonly default: new () => { sort(tests: readonly object[]): readonly { readonly path: string }[] };
}

async function orderOf(files: readonly string[]): Promise<readonly string[]> {
  // Plain JavaScript, because jest loads it before it can read anything else.
  const { default: Sequencer } = (await import(`${projectRoot}/test/support/sequencer.js`)) as Sequencing;
  return new Sequencer().sort(files.map(aTest)).map(({ path }) => path.slice('/project/'.length));
}

describe('the order of the test files', () => {
  it('knows of files that there are', () => {
    expect(Object.keys(secondsOf).filter((file) => !existsSync(join(projectRoot, file)))).toEqual([]);
  });

  it('leaves none out, and begins with the longest and with one that is not heavy', async () => {
    const files = [...Object.keys(secondsOf), 'test/core/a.test.ts', 'test/core/b.test.ts'];
    const [longest] = Object.entries(secondsOf).sort(([, one], [, other]) => other - one);

    const order = await orderOf(files);

    expect([...order].sort()).toEqual([...files].sort());
    expect(order[0]).toBe(longest?.[0]);
    expect(secondsOf[order[1] ?? '']).toBeLessThan(20);
  });
});
