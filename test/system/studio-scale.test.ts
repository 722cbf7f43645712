import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Response } from 'playwright-core';
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
  it('has at most 350 kB compressed, and React as it is for users', () => {
    const page = 'dist/studio/index.html';
    if (!existsSync(page)) throw new Error(`${page} is missing: build the studio with \`npm run prepare\`.`);
    const first = readFileSync(page, 'utf8').matchAll(/(?:src|href)="\/studio\/(assets\/[^"]+\.js)"/g);

    const scripts = [...first].map(([, file = '']) => readFileSync(`dist/studio/${file}`));
    const sizes = scripts.map((script) => gzipSync(script).length);

    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(350_000);
    // What JSX becomes where React looks for mistakes, at the cost of time.
    expect(scripts.filter((script) => script.includes('jsxDEV'))).toEqual([]);
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

    await scrollUntil(list, list.getByText('Methuselah'), 'end');

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

    await scrollUntil(transcript, transcript.getByText(/^Message 1\. /), 'start');

    expect(await rows.count()).toBeLessThanOrEqual(mostRows);
    await scrollUntil(transcript, transcript.getByText(`Message ${messages}.`), 'end');
    await page.getByLabel('Message', { exact: true }).fill(`Still there? ${runCanary()}`);
    await page.keyboard.press('Enter');
    await transcript.getByText('Heard.').waitFor();
    expect(await rows.count()).toBeLessThanOrEqual(mostRows);
    await page.context().close();
  });
});

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
