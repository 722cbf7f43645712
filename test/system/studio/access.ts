import { expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { seriousFaultsInBothThemes } from '../../support/browser.js';
import type { StudioPage } from '../../support/studio.js';

/** That the studio has no serious fault of access. */
export function testAccess(studio: () => StudioPage): void {
  /** All tabs of an agent, and their parts that have addresses, each with what it alone shows. */
  const parts = (): readonly (readonly [path: string, shown: Locator])[] => {
    const { page, button, region } = studio();
    return [
      ['talk', page.getByRole('log', { name: 'Transcript' })],
      ['mind', page.getByRole('article', { name: 'Block human' })],
      ['context', button(/^Instructions/)],
      ['context/request', page.getByText('JSON', { exact: true })],
      ['context/history', page.getByRole('list', { name: 'Epochs and evictions' })],
      ['turns', region('The turn')],
      ['recall', page.getByLabel('A new passage')],
      ['recall/said', page.getByText('Search what was said')],
      ['recall/files', page.getByText('No files')],
      ['sleep', button('Schedule a message')],
      ['settings', page.getByRole('list', { name: 'Attached tools' })],
    ];
  };

  it('[studio.access] has no serious fault of access, in light and in dark', async () => {
    const { page, complaints, anAgent, tell, go } = studio();
    const { id } = await anAgent();
    await tell(id, 'Remember Likes tea.');
    const faults: string[] = [];
    const look = async (path: string, shown: Locator): Promise<void> => {
      await go(path);
      await shown.waitFor();
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      const found = [...(await seriousFaultsInBothThemes(page)), ...complaints];
      faults.push(...found.map((fault) => `${path}: ${fault}`));
    };

    await look('/', page.getByRole('heading', { name: /agents?$/ }));
    for (const [path, shown] of parts()) await look(`/agents/${id}/${path}`, shown);

    expect(faults).toEqual([]);
  });
}
