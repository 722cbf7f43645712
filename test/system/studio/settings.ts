import { beforeAll, expect, it } from '@jest/globals';
import type { StudioPage } from '../../support/studio.js';

/** What people change in the tab Settings. */
export function testSettings(studio: () => StudioPage): void {
  let id: string;

  beforeAll(async () => {
    ({ id } = await studio().anAgent());
  });

  it('changes an agent’s model, and says when it holds', async () => {
    const { page, rest, go, button } = studio();
    await go(`/agents/${id}/settings`);

    await page.getByRole('combobox', { name: 'Model' }).fill('demo');
    await page.getByRole('option', { name: 'perdure/demo' }).click();
    await button('Save').click();

    await page.getByText('It holds from the next step on').waitFor();
    expect(await rest.read('GET', `/v1/agents/${id}`)).toMatchObject({ model: 'perdure/demo' });
  });

  it('attaches and detaches tools, and has one ask first', async () => {
    const { page, rest, go } = studio();
    const toolsNow = () =>
      rest.read<{ tools: { name: string }[]; tool_rules: { type: string; tool_name: string }[] }>(
        'GET',
        `/v1/agents/${id}`,
      );
    await go(`/agents/${id}/settings`);
    const attached = page.getByRole('list', { name: 'Attached tools' });

    await page.getByRole('combobox', { name: 'Attach a tool' }).fill('web_search');
    await page.getByRole('option', { name: 'web_search' }).click();
    await attached.getByText('web_search', { exact: true }).waitFor();
    await attached.getByLabel('web_search asks first').click();
    await attached.getByLabel('web_search asks first').and(page.locator(':checked')).waitFor();
    expect((await toolsNow()).tool_rules).toContainEqual(
      expect.objectContaining({ type: 'requires_approval', tool_name: 'web_search' }),
    );
    await page.getByLabel('Detach web_search').click();

    await attached.getByText('web_search', { exact: true }).waitFor({ state: 'detached' });
    expect((await toolsNow()).tools.map(({ name }) => name)).not.toContain('web_search');
  });

  it('attaches a block of another agent, and makes a new one', async () => {
    const { page, anAgent, go, button } = studio();
    await anAgent({ name: 'Captain', memory_blocks: [{ label: 'ship', value: 'The Fram.' }] });
    await go(`/agents/${id}/settings`);

    await page.getByRole('combobox', { name: 'Attach a block' }).fill('ship');
    await page.getByRole('option', { name: 'ship: The Fram.' }).click();
    const attached = page.getByRole('list', { name: 'Attached blocks' });
    await attached.getByRole('link', { name: 'ship' }).waitFor();
    await button('New block').click();
    await page.getByRole('dialog').getByLabel('Label').fill('project');
    await page.getByRole('dialog').getByLabel('Value').fill('Cross the ocean.');
    await button('Create and attach').click();
    await attached.getByRole('link', { name: 'project' }).click();

    await page.getByRole('article', { name: 'Block project' }).getByText('Cross the ocean.').waitFor();
    await page.getByRole('article', { name: 'Block ship' }).getByText('shared with 1 agent').waitFor();
  });
}
