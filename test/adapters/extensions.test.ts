import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExtensionFault, type Extensions } from '../../adapters/extensions/extensions.js';
import { openExtensions } from '../../adapters/extensions/open-extensions.js';
import { SettingsError } from '../../adapters/settings/settings-error.js';
import type { StepOutcome } from '../../core/turns/turn.js';
import { packageFile } from '../../stack/processes.js';
import { waitFor } from '../../stack/waiting.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

const example = packageFile('test/support/tools/extensions/faulty.ts');

async function refusalOf(...modules: readonly string[]): Promise<readonly string[]> {
  try {
    await openExtensions(modules);
  } catch (error) {
    if (error instanceof SettingsError)
      return error.problems.map(({ variable, message }) => `${variable} ${message}`);
    throw error;
  }
  throw new Error('They were loaded.');
}

function aModule(code: string): string {
  const path = join(makeTemporaryDirectory('extension'), 'mine.mjs');
  writeFileSync(path, code);
  return path;
}

const faultOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (answer) => answer,
    (error: unknown) => (error instanceof ExtensionFault ? `fault: ${error.message}` : error),
  );

const step: StepOutcome = {
  style: 'tools',
  stepIndex: 0,
  maxSteps: 2,
  rules: [],
  calls: [],
  earlierCalls: [],
  hasText: false,
  finishReason: 'stop',
  consecutiveBadAnswers: 0,
};
const over = { kind: 'end', stopReason: 'end_turn' } as const;

describe('user extensions', () => {
  let extensions: Extensions;

  beforeAll(async () => {
    extensions = await openExtensions([example], { timeoutMs: 1_500 });
  });

  afterAll(() => extensions.close());

  const edit = (what: string) =>
    extensions.edit({ tool: 'do_it', args: { what }, sections: { notes: 'as it is' } });

  it('are described by their parts [ext.module]', () => {
    expect(extensions.all).toEqual([
      {
        name: 'faulty',
        version: '7',
        compiles: true,
        decides: true,
        tools: [
          expect.objectContaining({ kind: 'memory', name: 'do_it', sections: ['notes'] }),
          expect.objectContaining({ kind: 'memory', name: 'move_line', sections: ['notes', 'archive'] }),
          expect.objectContaining({ kind: 'messaging', name: 'send_drawing', argument: 'title' }),
        ],
      },
    ]);
  });

  it('compute edits from the current sections [ext.faults]', async () => {
    expect(await edit('copy')).toEqual({
      edits: [{ section: 'notes', kind: 'append', content: 'as it is' }],
    });
  });

  it.each([
    ['throw', 'fault: no luck'],
    ['nothing', 'fault: It answered with no list of edits.'],
    ['nonsense', 'fault: It answered with no list of edits.'],
    ['promise', 'fault: #<Promise> could not be cloned.'],
    ['exit', 'fault: It ended the thread that it ran in: exit 3.'],
    ['loop', 'fault: It took more than 1.5 s and was stopped.'],
  ])('fail in isolation and work again on the next call: %s [ext.faults]', async (what, fault) => {
    const [failed, next] = await Promise.all([faultOf(edit(what)), faultOf(edit('copy'))]);

    expect(failed).toBe(fault);
    expect(next).toMatchObject({ edits: [{ content: 'as it is' }] });
  });

  it('restart after an error between two calls [ext.faults]', async () => {
    const before = await edit('born');
    await edit('later');

    // Until then a call may still find the old thread, or end with it.
    const isEarlier = (answer: unknown) =>
      answer === 'fault: It ended the thread that it ran in: too late.' || isDeepStrictEqual(answer, before);
    const next = await waitFor(
      async () => {
        const answer = await faultOf(edit('born'));
        return isEarlier(answer) ? undefined : answer;
      },
      { timeoutMs: 90_000, everyMs: 10 },
    );
    expect(next).toEqual({ edits: [{ section: 'notes', kind: 'append', content: expect.any(String) }] });
  });

  it('decide a step within the allowed outcomes [ext.faults]', async () => {
    const decide = (answer: unknown, at: Partial<StepOutcome> = {}) =>
      faultOf(
        extensions.decide({
          extension: 'faulty',
          // The extension returns what it finds here.
          step: { ...step, ...at, earlierCalls: [JSON.stringify(answer)] },
          base: over,
        }),
      );

    expect(await decide({ kind: 'continue' })).toEqual({ kind: 'continue', reason: { kind: 'extension' } });
    expect(await decide({ kind: 'continue' }, { stepIndex: 1 })).toEqual({
      kind: 'end',
      stopReason: 'max_steps',
    });
    expect(await decide({ kind: 'end', stopReason: 'tool_rule' })).toEqual({
      kind: 'end',
      stopReason: 'tool_rule',
    });
    expect(await decide({ kind: 'end', stopReason: 'cancelled' })).toBe(
      'fault: It answered with no decision.',
    );
    expect(await decide(1)).toBe('fault: It answered with no decision.');
  });
});

describe('[ext.module] unusable extensions', () => {
  it('are refused together in one message', async () => {
    const refusals = await refusalOf(
      aModule('export const one = 1;'),
      aModule('export default { name: "a b" };'),
      aModule('export default { name: "a", tools: [{ kind: "memory", name: "x" }] };'),
      './nowhere.ts',
    );

    expect(refusals).toEqual([
      expect.stringMatching(/^PERDURE_EXTENSIONS names .*mine\.mjs, which exports no default: /),
      expect.stringMatching(
        /mine\.mjs, whose default export is no extension: its name must be letters, digits/,
      ),
      expect.stringMatching(/mine\.mjs, whose default export is no extension: its tools\.0\.description /),
      expect.stringMatching(/^PERDURE_EXTENSIONS names \.\/nowhere\.ts, but there is no file/),
    ]);
  });

  it('are refused for a name that two of them, their tools or the runtime share', async () => {
    const tool = (name: string) =>
      `{ kind: 'messaging', argument: 'a', name: '${name}', description: '', parameters: { type: 'object', properties: {} } }`;
    const refusals = await refusalOf(
      aModule(`export default { name: 'a', tools: [${tool('say')}, ${tool('send_message')}] };`),
      aModule(`export default [{ name: 'a' }, { name: 'b', tools: [${tool('say')}, ${tool('say it')}] }];`),
    );

    expect(
      refusals.map((one) => one.replace("PERDURE_EXTENSIONS names extensions that can't be used: ", '')),
    ).toEqual([
      "two extensions are called 'a'.",
      "two tools are called 'say', of 'a' and 'b'.",
      "tool 'send_message' of 'a' has the name of a built-in tool.",
      "A tool can't be called 'say it'. Use letters, digits and underscores.",
    ]);
  });
});
