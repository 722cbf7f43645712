import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

/** Seconds that files took, where they took more than a few: `test/support/run/seconds.json`. */
const seconds = JSON.parse(readFileSync(new URL('seconds.json', import.meta.url), 'utf8'));
const secondsOfOthers = 3;
/** Such a file has processes of its own, and several of them at a time would starve each other. */
const heavy = 15;

/**
 * Has the processes of jest end together, also where nothing is known of an earlier run, as in CI: long files first, and
 * of those one at a time, with small ones beside it.
 */
export default class Sequencer extends TestSequencer {
  sort(tests) {
    const bySize = super.sort(tests).filter((test) => !this.hasFailed(test));
    const timed = bySize
      .map((test) => ({
        test,
        takes: seconds[relative(test.context.config.rootDir, test.path)] ?? secondsOfOthers,
      }))
      .sort((one, other) => other.takes - one.takes);
    return [...tests.filter((test) => this.hasFailed(test)), ...inLines(timed)];
  }
}

/** The order in which three that take the next one when they are free never have two heavy ones, as long as may be. */
function inLines(timed) {
  const waiting = [timed.filter(({ takes }) => takes >= heavy), timed.filter(({ takes }) => takes < heavy)];
  const order = [];
  const line = [
    { busyUntil: 0, queue: 0 },
    { busyUntil: 0, queue: 1 },
    { busyUntil: 0, queue: 1 },
  ];
  while (waiting[0].length + waiting[1].length > 0) {
    const [free] = [...line].sort((one, other) => one.busyUntil - other.busyUntil);
    const next = waiting[free.queue].shift() ?? waiting[1 - free.queue].shift();
    free.busyUntil += next.takes;
    order.push(next.test);
  }
  return order;
}
