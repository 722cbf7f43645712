import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startTestStack } from '../support/stack.js';
import { startStudio, type TestStudio } from '../support/studio.js';
import { liveStory, storyPolicy } from '../support/studio-story.js';

const directory = '.cache/studio-pictures';
const widths = [390, 1280, 1920];
const sheetColumns = 4;

describe('pictures of the studio', () => {
  let studio: TestStudio;
  let story: { id: string; groupId: string };

  beforeAll(async () => {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    studio = await startStudio(startTestStack(storyPolicy));
    story = await liveStory(studio);
  });
  afterAll(() => studio.close());

  /** Every screen: its name, its address, and what to do there. */
  const screens = (): readonly (readonly [string, string, ((page: Page) => Promise<void>)?])[] => {
    const agent = `/agents/${story.id}`;
    return [
      ['agents', '/'],
      ['talk', agent],
      ['talk-edits', agent, (page) => scrollTo(page, 'edits human')],
      ['mind', `${agent}/mind`],
      ['history', `${agent}/mind`, (page) => page.getByLabel('History of human').first().click()],
      ['context', `${agent}/context`],
      ['epochs', `${agent}/context/history`],
      ['turns', `${agent}/turns`],
      ['request', `${agent}/turns`, (page) => page.getByText('Request', { exact: true }).first().click()],
      ['archive', `${agent}/recall`],
      ['said', `${agent}/recall/said?q=Utklippan`],
      ['files', `${agent}/recall/files`],
      ['sleep', `${agent}/sleep`],
      ['settings', `${agent}/settings`],
      ['groups', '/groups'],
      ['group', `/groups/${story.groupId}`],
      ['new-agent', '/', (page) => page.getByRole('main').getByText('New agent').click()],
      ['finder', agent, (page) => page.keyboard.press('Control+k')],
      ['gone', '/agents/agent-00000000-0000-4000-8000-000000000000'],
    ];
  };

  it.each(widths.flatMap((width) => [[width, 'light'] as const, [width, 'dark'] as const]))(
    'are taken at %i px, %s',
    async (width, scheme) => {
      const { page } = await studio.open('/', { width, scheme });
      const taken: { name: string; file: string }[] = [];
      for (const [name, path, act] of screens()) {
        await page.goto(path);
        await isCalm(page);
        await act?.(page);
        const file = `${directory}/${name}-${width}-${scheme}.png`;
        writeFileSync(file, await stillPicture(page));
        taken.push({ name, file });
      }
      await page.setViewportSize({ width: sheetColumns * Math.min(width, 640), height: 800 });
      await page.goto('about:blank');
      await page.setContent(toSheet(taken));
      const sheet = await page.screenshot({ fullPage: true });
      writeFileSync(`${directory}/all-${width}-${scheme}.png`, sheet);
      await page.context().close();
      expect(taken).toHaveLength(screens().length);
    },
  );
});

/** Scrolls the transcript up to the first entry with this text. */
async function scrollTo(page: Page, text: string): Promise<void> {
  const entry = page.getByRole('log').getByText(text).first();
  while ((await entry.count()) === 0) await page.getByRole('log').press('PageUp');
  await entry.evaluate((element) => {
    // The tests' types know no browser.
    (element as unknown as { scrollIntoView(at: object): void }).scrollIntoView({ block: 'center' });
  });
}

/** Waits until nothing is loading. */
async function isCalm(page: Page): Promise<void> {
  await page.getByRole('main').waitFor();
  const busy = page.locator('[aria-busy=true]');
  while ((await busy.count()) > 0) await busy.first().waitFor({ state: 'detached' });
}

/** A picture of the page as soon as it changes no more. */
async function stillPicture(page: Page): Promise<Buffer> {
  for (let before = await page.screenshot(); ;) {
    await isCalm(page);
    const now = await page.screenshot();
    if (now.equals(before)) return now;
    before = now;
  }
}

/** All pictures on one page. */
function toSheet(taken: readonly { name: string; file: string }[]): string {
  const pictures = taken.map(({ name, file }) => {
    const data = readFileSync(file).toString('base64');
    return `<figure><img src="data:image/png;base64,${data}"><figcaption>${name}</figcaption></figure>`;
  });
  return `<style>
    body { display: grid; grid-template-columns: repeat(${sheetColumns}, 1fr); gap: 8px; margin: 8px; background: #777 }
    figure { margin: 0 } img { width: 100% } figcaption { font: 14px sans-serif; color: #fff }
  </style>${pictures.join('')}`;
}
