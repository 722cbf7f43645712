import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Response } from 'playwright-core';
import { addAgents, addMessages, fill, removeAgents } from '../../support/studio-fill.js';
import type { StudioPage } from '../../support/studio.js';

/** What a screen holds, with what is kept beside it. */
const mostRows = 80;

interface Scale {
  readonly agents: number;
  readonly messages: number;
}

/** How the studio shows much. */
export function testScale(studio: () => StudioPage, { agents, messages }: Scale): void {
  describe(`with ${agents} agents, and ${messages} messages of one`, () => {
    let agentId: string;

    beforeAll(async () => {
      ({ id: agentId } = await studio().anAgent({ name: 'Methuselah' }));
      await fill(studio().stack.databaseUrl, async (db) => {
        await addAgents(db, agentId, agents);
        await addMessages(db, agentId, messages);
      });
    });
    // The stack's other tests list agents too.
    afterAll(() => fill(studio().stack.databaseUrl, removeAgents));

    it('shows an agent after few requests, compressed [studio.budget]', async () => {
      const { page } = studio();
      const answers: Response[] = [];
      const note = (answer: Response) => answers.push(answer);
      page.on('response', note);

      await page.goto(`/agents/${agentId}`);
      await page.getByText(`Message ${messages}.`).waitFor();
      await page.getByLabel('Core memory').getByText('Sails on Sundays.').waitFor();
      page.off('response', note);

      const assets = answers.filter((answer) => answer.url().includes('/assets/'));
      expect(assets).not.toEqual([]);
      expect(answers.length).toBeLessThanOrEqual(25);
      expect(assets.map((answer) => answer.headers()['content-encoding'])).toEqual(assets.map(() => 'gzip'));
      const bytes = assets.map((answer) => Number(answer.headers()['content-length']));
      expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(500_000);
    });

    it('holds few of many agents, and scrolls to the oldest [studio.scale]', async () => {
      const { page, rest } = studio();
      const [oldest] = await rest.read<{ id: string }[]>('GET', '/v1/agents?order=asc&limit=1');
      await page.goto('/');
      const list = page.getByRole('list', { name: 'Agents' });
      await list.getByText(`Agent ${agents}`, { exact: true }).waitFor();
      expect(await list.getByRole('listitem').count()).toBeLessThanOrEqual(mostRows);

      await scrollUntil(list, list.locator(`a[href*="${oldest?.id ?? ''}"]`), 'end');

      expect(await list.getByRole('listitem').count()).toBeLessThanOrEqual(mostRows);
      await page.getByLabel('Find an agent').fill('Agent 77');
      await list.getByText('Agent 77', { exact: true }).waitFor();
      expect(await list.getByText('Agent 1', { exact: true }).count()).toBe(0);
    });

    it('holds few of many messages, and scrolls to the oldest and back [studio.scale]', async () => {
      const { page, go, say } = studio();
      await go(`/agents/${agentId}`);
      const transcript = page.getByRole('log', { name: 'Transcript' });
      const rows = transcript.getByRole('article');
      await transcript.getByText(`Message ${messages}.`).waitFor();
      expect(await rows.count()).toBeLessThanOrEqual(mostRows);

      await scrollUntil(transcript, transcript.getByText(/^Message 1\. /), 'start');

      expect(await rows.count()).toBeLessThanOrEqual(mostRows);
      await scrollUntil(transcript, transcript.getByText(`Message ${messages}.`), 'end');
      await say('Still there?');
      await transcript.getByText('Heard: Still there?').waitFor();
      expect(await rows.count()).toBeLessThanOrEqual(mostRows);
    });
  });
}

/** Scrolls a list to its start or end again whenever more of it has loaded, until this is in sight. */
async function scrollUntil(list: Locator, wanted: Locator, to: 'start' | 'end'): Promise<void> {
  const scrolling = await list.evaluateHandle((node, isEnd) => {
    // The tests' types know no browser.
    const { ResizeObserver } = globalThis as unknown as Observing;
    const element = node as unknown as Scrolling;
    const observer = new ResizeObserver(() => {
      element.scrollTop = isEnd ? element.scrollHeight : 0;
    });
    observer.observe(element.firstElementChild);
    return observer;
  }, to === 'end');
  await wanted.waitFor();
  await scrolling.evaluate((observer) => {
    observer.disconnect();
  });
}

interface Scrolling {
  scrollTop: number;
  readonly scrollHeight: number;
  readonly firstElementChild: unknown;
}

interface Observing {
  /** Calls when a size that it observes changes, and once at the beginning. */
  readonly ResizeObserver: new (onResize: () => void) => {
    observe(element: unknown): void;
    disconnect(): void;
  };
}
