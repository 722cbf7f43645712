import { beforeAll, expect, it } from '@jest/globals';
import { runCanary } from '../../support/runtime/canary.js';
import type { StudioPage } from '../../support/studio.js';

/** What people do in the tab Recall. */
export function testRecall(studio: () => StudioPage): void {
  let id: string;

  beforeAll(async () => {
    ({ id } = await studio().anAgent());
  });

  it('adds, finds, pins and deletes a passage', async () => {
    const { page, rest, go, button } = studio();
    await go(`/agents/${id}/recall`);
    await page.getByLabel('A new passage').fill('The boat is called Fram.');
    await button('Add').click();
    await page.getByRole('listitem').getByText('The boat is called Fram.').waitFor();
    await page.getByLabel('Search by words and meaning').fill('Fram');
    await page.locator('mark').getByText('Fram').waitFor();
    await page.getByLabel('Pin into the context').click();
    await page.getByLabel('Pin into the context').and(page.locator('[aria-pressed=true]')).waitFor();
    await page.getByLabel('Delete the passage').click();
    await button('Delete').click();
    await page.getByText('Nothing found').waitFor();
    expect(await rest.read('GET', `/v1/agents/${id}/archival-memory`)).toEqual([]);
  });

  it('uploads a file, shows how far it is read in, and deletes it', async () => {
    const { page, rest, go, button } = studio();
    await go(`/agents/${id}/recall`);
    await page.getByText('Files', { exact: true }).click();
    await page.getByText('No files').waitFor();

    const chooser = page.waitForEvent('filechooser');
    await button('Upload files …').click();
    const text = `The boat is called Fram. ${runCanary()}`;
    await (await chooser).setFiles({ name: 'boat.txt', mimeType: 'text/plain', buffer: Buffer.from(text) });

    await page.getByText(/ready · 1 of 1 passages/).waitFor();
    const folders = await rest.read<{ id: string }[]>('GET', `/v1/agents/${id}/folders`);
    expect(folders).toHaveLength(1);
    await page.getByLabel('Delete boat.txt').click();
    await button('Delete').click();
    await page.getByText('The folder is empty.').waitFor();
    expect(await rest.read('GET', `/v1/folders/${folders[0]?.id ?? ''}/files`)).toEqual([]);
  });
}
