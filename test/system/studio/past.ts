import { beforeAll, expect, it } from '@jest/globals';
import { toDollars } from '../../../core/models/dollars.js';
import type { StudioPage } from '../../support/studio.js';

/** What the tabs Context and Turns show. */
export function testPast(studio: () => StudioPage): void {
  let id: string;

  beforeAll(async () => {
    const { rest, anAgent, tell } = studio();
    ({ id } = await anAgent());
    for (const said of ['Remember Likes tea.', 'And now?', 'And then?']) await tell(id, said);
    await rest.read('POST', `/v1/agents/${id}/summarize`, {});
    await tell(id, 'Remember Rows.');
  });

  it('shows the context by its parts, and a turn by its steps', async () => {
    const { page, go, button, region } = studio();
    await go(`/agents/${id}/context`);
    await button(/^Instructions/).click();
    await page.getByText('You are an agent that lives on').waitFor();
    await button('The whole request').click();
    await page.getByText('JSON', { exact: true }).click();
    await page.getByText('"role": "system"').waitFor();

    await page.getByRole('tab', { name: 'Turns' }).click();
    const turn = region('The turn');
    await turn.getByText('Step 2 · scripted').waitFor();
    await turn.getByRole('button', { name: 'Fork after it' }).first().click();
    await page.waitForURL((url) => !url.pathname.includes(id));
    await page.getByLabel('Core memory').getByText('Likes tea').waitFor();
  });

  it('shows what an earlier step was sent, at an address of its own, and the way to Temporal [studio.step-request]', async () => {
    const { page, complaints, rest, go, button, region } = studio();
    const [run] = await rest.read<{ id: string }[]>('GET', `/v1/runs?agent_ids=${id}&order=asc`);
    const steps = `/v1/runs/${run?.id ?? ''}/steps?order=asc`;
    const [step] = await rest.read<{ cost: number }[]>('GET', steps);
    await go(`/agents/${id}/turns/${run?.id ?? ''}`);
    expect(step?.cost).toBeGreaterThan(0);
    await page
      .getByRole('cell', { name: toDollars(step?.cost ?? 0) })
      .first()
      .waitFor();

    await button('Request').first().click();

    const request = region('Request of step 1');
    await request.getByText('Remember Likes tea.').first().waitFor();
    expect(await request.getByText('And now?').count()).toBe(0);
    await page.reload();
    await request.getByText('JSON', { exact: true }).click();
    await request.getByText('"tool_choice"').waitFor();
    expect(await page.getByRole('link', { name: 'In Temporal' }).getAttribute('href')).toMatch(
      new RegExp(`^http://localhost:8233/namespaces/default/workflows/${id}/[0-9a-f-]+/history$`),
    );
    expect(complaints).toEqual([]);
  });

  it('shows where epochs began, what left the context, and what the cache held [studio.context-history]', async () => {
    const { page, go, button, region } = studio();
    await go(`/agents/${id}/context`);

    await button('Epochs and cache').click();

    const events = page.getByRole('list', { name: 'Epochs and evictions' });
    await events.getByText('Epoch 2').waitFor();
    expect(await events.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Epoch 2/),
      expect.stringMatching(/messages left the context/),
      expect.stringMatching(/^Epoch 1/),
    ]);
    await region('The provider’s cache').getByText('0 %').waitFor();
    await events.getByRole('link', { name: 'Its first request' }).last().click();
    await region('Request of step 1').getByText('Remember Likes tea.').first().waitFor();
  });
}
