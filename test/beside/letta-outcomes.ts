import { z } from 'zod';
import { exceptions } from './letta-exceptions.js';

/** What came of one of Letta's tests. `reason`: of a test that failed or was skipped. */
export interface Outcome {
  readonly name: string;
  readonly kind: 'passed' | 'failed' | 'skipped';
  readonly reason: string;
}

const phase = z.object({
  longrepr: z.string().optional(),
  crash: z.object({ message: z.string() }).optional(),
  outcome: z.string(),
});
const report = z.object({
  tests: z.array(
    z.object({
      nodeid: z.string(),
      outcome: z.string(),
      setup: phase.optional(),
      call: phase.optional(),
      teardown: phase.optional(),
    }),
  ),
  collectors: z.array(z.object({ nodeid: z.string(), outcome: z.string(), longrepr: z.string().optional() })),
});

/** Reads pytest's report: each test, and each file that could not be read as one that failed. */
export function sortOut(written: unknown): readonly Outcome[] {
  const { tests, collectors } = report.parse(written);
  const unread = collectors
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ nodeid, longrepr }): Outcome => ({ name: nodeid, kind: 'failed', reason: lastLine(longrepr) }));
  return [
    ...unread,
    ...tests.map(({ nodeid, outcome, setup, call, teardown }): Outcome => {
      const parts = [setup, call, teardown].filter((part) => part !== undefined);
      const wrong = parts.find((part) => part.outcome !== 'passed');
      const reason = wrong?.crash?.message ?? lastLine(wrong?.longrepr);
      return { name: nodeid, kind: kindOf(outcome), reason: reason.slice(0, 600) };
    }),
  ];
}

function kindOf(outcome: string): Outcome['kind'] {
  if (outcome === 'passed' || outcome === 'skipped') return outcome;
  return 'failed';
}

function lastLine(text = ''): string {
  return text.trim().split('\n').at(-1) ?? '';
}

/**
 * The table. Tests that need a hosted service, or patch the code of Letta's server in their own process, count neither as
 * passed nor as failed. `surprises`: what failed and is not listed with a reason, and what is listed and passed.
 */
export function tableOf(outcomes: readonly Outcome[]): {
  readonly text: string;
  readonly share: number;
  readonly surprises: readonly string[];
} {
  const known = (name: string) => exceptions.find(({ tests }) => tests.test(name));
  const elsewhere = outcomes.filter(({ name, kind }) => kind === 'failed' && known(name)?.elsewhere === true);
  const failed = outcomes.filter((one) => one.kind === 'failed' && !elsewhere.includes(one));
  const passed = outcomes.filter(({ kind }) => kind === 'passed');
  const skipped = outcomes.filter(({ kind }) => kind === 'skipped');
  const share = passed.length / Math.max(1, passed.length + failed.length);
  const files = [...new Set(outcomes.map(({ name }) => fileOf(name)))];
  const count = (all: readonly Outcome[], file: string): number =>
    all.filter(({ name }) => fileOf(name) === file).length;
  const text = [
    '| file | passed | failed | not for us | skipped |',
    '|---|---|---|---|---|',
    ...files.map(
      (file) =>
        `| ${[file, ...[passed, failed, elsewhere, skipped].map((all) => count(all, file))].join(' | ')} |`,
    ),
    `| all | ${[passed, failed, elsewhere, skipped].map(({ length }) => length).join(' | ')} |`,
    `\n${(share * 100).toFixed(1)} % of the tests that need nothing but a server pass.`,
    ...list('Failed', failed, (one) => known(one.name)?.reason ?? one.reason),
    ...list('Not for us', elsewhere, (one) => known(one.name)?.reason ?? one.reason),
    ...list('Skipped by themselves', skipped, (one) => one.reason),
  ].join('\n');
  const surprises = [
    ...failed
      .filter(({ name }) => known(name) === undefined)
      .map(({ name, reason }) => `failed: ${name}: ${reason}`),
    ...passed
      .filter(({ name }) => known(name) !== undefined)
      .map(({ name }) => `passed, but is listed: ${name}`),
  ];
  return { text, share, surprises };
}

function list(title: string, outcomes: readonly Outcome[], why: (one: Outcome) => string): readonly string[] {
  return outcomes.length === 0 ? [] : [`\n${title}:`, ...outcomes.map((one) => `- ${one.name}: ${why(one)}`)];
}

function fileOf(name: string): string {
  return name.split('::')[0] ?? name;
}
