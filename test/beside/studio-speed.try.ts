import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { addAgents, addMessages, fill } from '../support/studio-fill.js';
import { startTestStack } from '../support/stack.js';
import { startStudioPage, type StudioPage } from '../support/studio.js';
import { testScale } from '../system/studio/scale.js';

const much = { agents: 1_000, messages: 10_000 };

const loads = 9;
const wheels = 200;

describe('the studio with 1,000 agents and 10,000 messages', () => {
  let studio: StudioPage;

  beforeAll(async () => {
    const reply = { call: 'send_message', args: { thinking: 'I act.', message: 'Heard: Still there?' } };
    studio = await startStudioPage(startTestStack(() => reply));
  });
  afterAll(() => studio.close());

  testScale(() => studio, much);
  testSpeed(() => studio);
});

/** Prints figures; their aims are in docs/studio.md. A test can't hold them, because other work on the machine counts too. */
function testSpeed(studio: () => StudioPage): void {
  describe('its speed', () => {
    let agentId: string;

    beforeAll(async () => {
      ({ id: agentId } = await studio().anAgent());
      await fill(studio().stack.databaseUrl, async (db) => {
        await addAgents(db, agentId, much.agents);
        await addMessages(db, agentId, much.messages);
      });
    });

    it('from the address to the newest message', async () => {
      const times: number[] = [];
      for (let load = 0; load <= loads; load += 1) {
        const { page } = await studio().open('about:blank');
        const start = performance.now();
        await page.goto(`/agents/${agentId}`);
        await page.getByText(`Message ${much.messages}.`).waitFor();
        // The first load warms the server up.
        if (load > 0) times.push(performance.now() - start);
        await page.context().close();
      }
      report('first view', times);
      expect(times).toHaveLength(loads);
    });

    it('a frame while the transcript is scrolled', async () => {
      const { page } = await studio().open(`/agents/${agentId}`);
      await page.getByText(`Message ${much.messages}.`).waitFor();
      const frames = await scrollUp(page);
      report('frame', frames);
      expect(frames.length).toBeGreaterThan(wheels / 2);
      await page.context().close();
    });
  });
}

/** What of a browser runs in the page; the tests' types know no browser. */
interface Browser {
  readonly requestAnimationFrame: (on: (time: number) => void) => void;
}

/** How long each frame took while the transcript was scrolled up by 200 turns of a wheel, in ms. */
function scrollUp(page: Page): Promise<readonly number[]> {
  return page.getByRole('log').evaluate(async (log, count) => {
    const element = log as unknown as { scrollTop: number };
    // In one piece: tsx marks functions that have a name, which the page does not know.
    const { requestAnimationFrame: nextFrame } = globalThis as unknown as Browser;
    const frames: number[] = [];
    let before = await new Promise<number>((resolve) => {
      nextFrame(resolve);
    });
    for (let wheel = 0; wheel < count; wheel += 1) {
      element.scrollTop -= 120;
      const now = await new Promise<number>((resolve) => {
        nextFrame(resolve);
      });
      frames.push(now - before);
      before = now;
    }
    return frames;
  }, wheels);
}

function report(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  process.stdout.write(`${what}: median ${at(0.5)} ms, 95 % within ${at(0.95)} ms\n`);
}
