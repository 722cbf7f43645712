import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

const places = [
  process.env['CHROME_PATH'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser of this machine; undefined where there is none. */
export const browserPath = places.find((path) => path !== '' && existsSync(path));

export function openBrowser(): Promise<Browser> {
  // Without its own sandbox, which root may not have: it opens pages of these tests alone.
  return chromium.launch({
    executablePath: browserPath ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}

/** A page, and what its console complained of since its reader emptied that. */
export interface OpenedPage {
  readonly page: Page;
  readonly complaints: string[];
}

/** A page of its own session. */
export async function openPage(
  browser: Browser,
  options: { url: string; width?: number; scheme?: 'light' | 'dark' },
): Promise<OpenedPage> {
  const { url, width = 1280, scheme = 'light' } = options;
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: 800 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return { page, complaints };
}

/** The serious faults that axe finds on a page, each with the element that has it. */
export async function seriousFaults(page: Page): Promise<string[]> {
  // As an argument of the debugger, which the page's content security policy does not rule.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe.source);
  return runAxe(page, { resultTypes: ['violations'] });
}

/**
 * Those in both themes: all in the theme that the page has, then of colours in the other, which it keeps. What a page is
 * made of is the same in both.
 */
export async function seriousFaultsInBothThemes(page: Page): Promise<string[]> {
  const faults = await seriousFaults(page);
  const isDark = (await page.locator('html[data-mantine-color-scheme=dark]').count()) === 1;
  const other = isDark ? 'light' : 'dark';
  await page.emulateMedia({ colorScheme: other });
  await page.locator(`html[data-mantine-color-scheme=${other}]`).waitFor();
  const ofColours = await runAxe(page, { resultTypes: ['violations'], runOnly: colorRules });
  return [...faults, ...ofColours.map((fault) => `${other} ${fault}`)];
}

/** The rules of axe, of those that it applies by itself, that judge colours. */
const colorRules = ['color-contrast', 'link-in-text-block'];

function runAxe(page: Page, options: axe.RunOptions): Promise<string[]> {
  return page.evaluate(async (given) => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(given);
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  }, options);
}
