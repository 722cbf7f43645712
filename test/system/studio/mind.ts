import { expect, it } from '@jest/globals';
import type { StudioPage } from '../../support/studio.js';

/** What people do in the tab Mind. */
export function testMind(studio: () => StudioPage): void {
  it('shows who wrote each line, takes a change back, and shows the memory as it was', async () => {
    const { page, anAgent, tell, go, region } = studio();
    const { id } = await anAgent();
    await tell(id, 'Remember Likes tea.');
    await go(`/agents/${id}/mind`);

    await page.getByLabel('History of human').first().click();
    const history = region('History of human');
    await history.getByRole('cell', { name: 'Likes tea' }).waitFor();
    expect(await history.getByRole('row').allInnerTexts()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^r1\s+you\s+Sails on Sundays\.$/),
        expect.stringMatching(/^r2\s+the agent\s+Likes tea$/),
      ]),
    );
    await page.getByLabel('Undo the last change of human').click();
    const card = page.getByRole('article', { name: 'Block human' });
    await card.getByText('revision 3').waitFor();
    expect(await card.getByText('Likes tea').count()).toBe(0);
    await history.getByRole('button', { name: 'r2' }).click();
    await history.getByRole('button', { name: 'Bring revision 2 back' }).click();
    await card.getByText('Likes tea').waitFor();
  });

  it('keeps an edit from overwriting one that came in meanwhile', async () => {
    const { page, rest, anAgent, go, button } = studio();
    const { id } = await anAgent();
    const [block] = await rest.read<{ id: string }[]>('GET', `/v1/agents/${id}/core-memory/blocks`);
    await go(`/agents/${id}/mind`);
    await page.getByLabel('Edit human').click();
    await page.getByLabel('Value of human').fill('Sails on Mondays.');

    await rest.read('POST', `/v1/blocks/${block?.id ?? ''}/operations`, {
      kind: 'append',
      content: 'Has a boat.',
    });

    await page.getByText('The block changed while you were editing.').waitFor();
    expect(await button('Save').count()).toBe(0);
    await button('Keep my text instead').click();
    await button('Save').click();
    await page.getByRole('article', { name: 'Block human' }).getByText('revision 3').waitFor();
  });
}
