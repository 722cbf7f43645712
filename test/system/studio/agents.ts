import { expect, it } from '@jest/globals';
import { startTestServer } from '../../server/test-server.js';
import { seriousFaults } from '../../support/browser.js';
import { runCanary } from '../../support/runtime/canary.js';
import type { StudioPage } from '../../support/studio.js';

/** What people do beside an agent's tabs: making, finding and deleting agents and groups. */
export function testAgents(studio: () => StudioPage): void {
  it('makes, finds and deletes an agent', async () => {
    const { page, rest, go, button } = studio();
    await go('/');
    await page.getByRole('main').getByRole('button', { name: 'New agent' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Grace');
    await dialog.getByLabel('What it knows about you').fill(`Studies ships. ${runCanary()}`);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Grace' }).waitFor();
    await page.getByLabel('Core memory').getByText('Studies ships.').waitFor();

    await page.keyboard.press('Control+k');
    await page.getByLabel('Find an agent, a block or a message').fill('Grace');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Grace/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('More about Grace').click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await button('Delete').click();
    await page.getByRole('heading', { name: /agents?$/ }).waitFor();
    expect(await rest.read('GET', '/v1/agents?name=Grace')).toEqual([]);
  });

  it('finds a block by what it says, and opens it', async () => {
    const { page, anAgent, go, region } = studio();
    const { id } = await anAgent({
      memory_blocks: [{ label: 'harbour', value: 'Two basins, at Utklippan.' }],
    });
    await go('/');

    await page.getByRole('heading', { name: /agents?$/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByLabel('Find an agent, a block or a message').fill('basins');
    await page.getByRole('button', { name: /^harbour: Two basins/ }).waitFor();
    await page.keyboard.press('Enter');

    await page.waitForURL(`**/agents/${id}/mind/block-*`);
    await region('History of harbour').waitFor();
  });

  it('makes a group, talks in it, and deletes it', async () => {
    const { page, rest, anAgent, go, button } = studio();
    await anAgent({ name: 'Nansen' });
    await anAgent({ name: 'Amundsen' });
    await go('/groups');
    await button('New group').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What it is for').fill('Plan the trip');
    for (const name of ['Nansen', 'Amundsen']) {
      await dialog.getByRole('combobox', { name: 'Agents' }).fill(name);
      await page.getByRole('option', { name }).click();
    }
    await page.keyboard.press('Tab');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Plan the trip' }).waitFor();

    await page.getByLabel('Message to the group').fill(`Where to? ${runCanary()}`);
    await page.keyboard.press('Enter');

    const answers = page.getByRole('article').filter({ hasText: 'Heard: ' });
    await answers.filter({ hasText: 'Nansen' }).first().waitFor();
    await answers.filter({ hasText: 'Amundsen' }).first().waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await button('Delete').click();
    await button('Delete it').click();
    await page.getByRole('heading', { name: 'Plan the trip' }).waitFor({ state: 'detached' });
    const groups = await rest.read<{ description: string }[]>('GET', '/v1/groups?limit=1000');
    expect(groups.map(({ description }) => description)).not.toContain('Plan the trip');
  });

  it('says that an agent is gone, and what an address does not lead to', async () => {
    const { page, anAgent, go } = studio();
    const { id } = await anAgent();
    await page.goto('/agents/agent-00000000-0000-4000-8000-000000000000');
    await page.getByText('There is no such agent').waitFor();
    await go(`/agents/${id}/nowhere`);
    await page.getByText('There is no such tab').waitFor();
  });

  it('asks for the password where the server has one', async () => {
    const { page, stack, button } = studio();
    const server = await startTestServer({
      settings: { password: 'open sesame' },
      databaseUrl: stack.databaseUrl,
    });
    await page.goto(await server.app.listen({ port: 0 }));
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await button('Open the studio').click();
    await page.getByText('That is not the password.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill('open sesame');
    await button('Open the studio').click();
    await page.getByRole('heading', { name: /agents?$/ }).waitFor();
    await page.goto('about:blank');
    await server.close();
  });
}
