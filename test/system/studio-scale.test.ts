import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page, Response } from 'playwright-core';
import { browserPath } from '../support/browser.js';
import { runCanary } from '../support/runtime/canary.js';
import { fill, addAgents, addMessages } from '../support/studio-fill.js';
import { startTestStack } from '../support/stack.js';
import { startStudio, type TestStudio } from '../support/studio.js';

const agents = 1_000;
const messages = 10_000;
/** What a screen holds, with what is kept beside it. */
const mostRows = 80;

describe('[studio.budget] the studio’s first script', () => {
  it('has at most 350 kB compressed', () => {
    const page = 'dist/studio/index.html';
    if (!existsSync(page)) throw new Error(`${page} is missing: build the studio with \`npm run prepare\`.`);
    const first = readFileSync(page, 'utf8').matchAll(/(?:src|href)="\/studio\/(assets\/[^"]+\.js)"/g);

    const sizes = [...first].map(([, file = '']) => gzipSync(readFileSync(`dist/studio/${file}`)).length);

    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(350_000);
  });
});

const describeInBrowser = browserPath === undefined ? describe.skip : describe;

describeInBrowser('the studio with much to show (needs Chromium)', () => {
  let studio: TestStudio;
  let agentId: string;

  beforeAll(async () => {
    const policy = () => ({
      call: 'send_message',
      args: { thinking: 'I act.', message: `Heard. ${runCanary()}` },
    });
    studio = await startStudio(startTestStack(policy));
    ({ id: agentId } = await studio.anAgent({ name: 'Methuselah' }));
    await fill(studio.stack.databaseUrl, async (db) => {
      await addAgents(db, agentId, agents);
      await addMessages(db, agentId, messages);
    });
  });
  afterAll(() => studio.close());

  it('shows an agent after few requests, compressed [studio.budget]', async () => {
    const { page } = await studio.open('about:blank');
    const answers: Response[] = [];
    page.on('response', (answer) => answers.push(answer));

    await page.goto(`/agents/${agentId}`);
    await page.getByText(`Message ${messages}.`).waitFor();
    await page.getByLabel('Core memory').getByText('Sails on Sundays.').waitFor();

    const assets = answers.filter((answer) => answer.url().includes('/assets/'));
    expect(answers.length).toBeLessThanOrEqual(25);
    expect(assets.map((answer) => answer.headers()['content-encoding'])).toEqual(assets.map(() => 'gzip'));
    const bytes = assets.map((answer) => Number(answer.headers()['content-length']));
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(500_000);
    await page.context().close();
  });

  it('holds few of 1,000 agents, and scrolls to the oldest [studio.scale]', async () => {
    const { page } = await studio.open('/');
    const list = page.getByRole('list', { name: 'Agents' });
    await list.getByText(`Agent ${agents}`, { exact: true }).waitFor();
    expect(await list.getByRole('listitem').count()).toBeLessThanOrEqual(mostRows);

    await scrollUntil(page, list, list.getByText('Methuselah'), 'end');

    expect(await list.getByRole('listitem').count()).toBeLessThanOrEqual(mostRows);
    await page.getByLabel('Find an agent').fill('Agent 777');
    await list.getByText('Agent 777', { exact: true }).waitFor();
    expect(await list.getByRole('listitem').count()).toBe(1);
    await page.context().close();
  });

  it('holds few of 10,000 messages, and scrolls to the oldest and back [studio.scale]', async () => {
    const { page } = await studio.open(`/agents/${agentId}`);
    const transcript = page.getByRole('log', { name: 'Transcript' });
    const rows = transcript.getByRole('article');
    await transcript.getByText(`Message ${messages}.`).waitFor();
    expect(await rows.count()).toBeLessThanOrEqual(mostRows);

    await scrollUntil(page, transcript, transcript.getByText(/^Message 1\. /), 'start');

    expect(await rows.count()).toBeLessThanOrEqual(mostRows);
    await scrollUntil(page, transcript, transcript.getByText(`Message ${messages}.`), 'end');
    await page.getByLabel('Message', { exact: true }).fill(`Still there? ${runCanary()}`);
    await page.keyboard.press('Enter');
    await transcript.getByText('Heard.').waitFor();
    expect(await rows.count()).toBeLessThanOrEqual(mostRows);
    await page.context().close();
  });
});

/** Scrolls a list to its start or end again and again, as more of it loads, until this is in sight. */
async function scrollUntil(page: Page, list: Locator, wanted: Locator, to: 'start' | 'end'): Promise<void> {
  while ((await wanted.count()) === 0) {
    await list.evaluate((node, isEnd) => {
      // The tests' types know no browser.
      const element = node as unknown as { scrollTop: number; readonly scrollHeight: number };
      element.scrollTop = isEnd ? element.scrollHeight : 0;
    }, to === 'end');
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
  }
}
