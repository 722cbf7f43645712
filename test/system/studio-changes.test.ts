import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toDollars } from '../../core/models/dollars.js';
import type { Page } from 'playwright-core';
import { browserPath, seriousFaults } from '../support/browser.js';
import { runCanary } from '../support/runtime/canary.js';
import { lastSaid, type Policy } from '../support/model-server.js';
import { shareTestStack } from '../support/stack.js';
import { startStudio, type TestStudio } from '../support/studio.js';

/** Remembers what follows "Remember", and says that it heard. */
const policy: Policy = (request, step) => {
  const thinking = `I act. ${runCanary()}`;
  const [, content] = /Remember (.+?)\./.exec(lastSaid(request)) ?? [];
  if (step === 0 && content !== undefined) {
    const args = { thinking, label: 'human', content, request_heartbeat: true };
    return { call: 'core_memory_append', args };
  }
  return { call: 'send_message', args: { thinking, message: `Heard. ${runCanary()}` } };
};

const describeInBrowser = browserPath === undefined ? describe.skip : describe;

describeInBrowser('[studio.pages] what people look into and change in the studio (needs Chromium)', () => {
  let studio: TestStudio;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    studio = await startStudio(shareTestStack(policy));
    ({ page, complaints } = await studio.open('about:blank'));
  });
  afterAll(() => studio.close());

  // In one page for all tests: what a page shows is all its own, but each new one takes a process.
  const open = async (address: string): Promise<void> => {
    complaints.splice(0);
    await page.goto(address);
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const region = (name: string | RegExp) => page.getByRole('region', { name });

  it('shows what an earlier step was sent, at an address of its own, and the way to Temporal [studio.step-request]', async () => {
    const { id } = await studio.anAgent();
    await studio.tell(id, 'Remember Likes tea.');
    await studio.tell(id, 'And now?');
    const [run] = await studio.rest.read<{ id: string }[]>('GET', `/v1/runs?agent_ids=${id}&order=asc`);
    await open(`/agents/${id}/turns/${run?.id ?? ''}`);
    const [step] = await studio.rest.read<{ cost: number }[]>(
      'GET',
      `/v1/runs/${run?.id ?? ''}/steps?order=asc`,
    );
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
    await region('Request of step 1').getByText('JSON', { exact: true }).click();
    await region('Request of step 1').getByText('"tool_choice"').waitFor();
    expect(await page.getByRole('link', { name: 'In Temporal' }).getAttribute('href')).toMatch(
      new RegExp(`^http://localhost:8233/namespaces/default/workflows/${id}/[0-9a-f-]+/history$`),
    );
    expect(complaints).toEqual([]);
  });

  it('shows where epochs began, what left the context, and what the cache held [studio.context-history]', async () => {
    const { id } = await studio.anAgent();
    for (const said of ['One.', 'Two.', 'Three.']) await studio.tell(id, said);
    await studio.rest.read('POST', `/v1/agents/${id}/summarize`, {});
    await studio.tell(id, 'Four.');
    await open(`/agents/${id}/context`);

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
    await region('Request of step 1').getByText('One.').first().waitFor();
  });

  it('changes an agent’s model, and says when it holds', async () => {
    const { id } = await studio.anAgent();
    await open(`/agents/${id}/settings`);

    await page.getByRole('combobox', { name: 'Model' }).fill('demo');
    await page.getByRole('option', { name: 'perdure/demo' }).click();
    await button('Save').click();

    await page.getByText('It holds from the next step on').waitFor();
    expect(await studio.rest.read('GET', `/v1/agents/${id}`)).toMatchObject({ model: 'perdure/demo' });
  });

  it('attaches and detaches tools, and has one ask first', async () => {
    const { id } = await studio.anAgent();
    const toolsNow = () =>
      studio.rest.read<{ tools: { name: string }[]; tool_rules: { type: string; tool_name: string }[] }>(
        'GET',
        `/v1/agents/${id}`,
      );
    await open(`/agents/${id}/settings`);
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
    const [{ id }] = await Promise.all([
      studio.anAgent(),
      studio.anAgent({ name: 'Captain', memory_blocks: [{ label: 'ship', value: 'The Fram.' }] }),
    ]);
    await open(`/agents/${id}/settings`);

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

  it('finds a block by what it says, and opens it', async () => {
    const { id } = await studio.anAgent({
      memory_blocks: [{ label: 'harbour', value: 'Two basins, at Utklippan.' }],
    });
    await open('/');

    await page.getByRole('heading', { name: /agents?$/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByLabel('Find an agent, a block or a message').fill('basins');
    await page.getByRole('button', { name: /^harbour: Two basins/ }).waitFor();
    await page.keyboard.press('Enter');

    await page.waitForURL(`**/agents/${id}/mind/block-*`);
    await region('History of harbour').waitFor();
  });

  it('forks the agent from a message', async () => {
    const { id } = await studio.anAgent();
    await studio.tell(id, 'Remember Likes tea.');
    await studio.tell(id, 'Remember Rows.');
    await open(`/agents/${id}`);
    const first = page.getByRole('article').filter({ hasText: 'Heard.' }).first();
    await first.hover();

    await first.getByRole('button', { name: 'Fork from here' }).click();

    await page.waitForURL((url) => !url.pathname.includes(id));
    await page.getByText('Remember Likes tea.').waitFor();
    await page.getByLabel('Core memory').getByText('Likes tea').waitFor();
    await page.getByLabel('Core memory').getByText('Rows').waitFor({ state: 'detached' });
    await page.getByText('Remember Rows.').waitFor({ state: 'detached' });
  });

  it('uploads a file, shows how far it is read in, and deletes it', async () => {
    const { id } = await studio.anAgent();
    await open(`/agents/${id}/recall`);
    await page.getByText('Files', { exact: true }).click();
    await page.getByText('No files').waitFor();

    const chooser = page.waitForEvent('filechooser');
    await button('Upload files …').click();
    const text = `The boat is called Fram. ${runCanary()}`;
    await (await chooser).setFiles({ name: 'boat.txt', mimeType: 'text/plain', buffer: Buffer.from(text) });

    await page.getByText(/ready · 1 of 1 passages/).waitFor();
    const folders = await studio.rest.read<{ id: string }[]>('GET', `/v1/agents/${id}/folders`);
    expect(folders).toHaveLength(1);
    await page.getByLabel('Delete boat.txt').click();
    await button('Delete').click();
    await page.getByText('The folder is empty.').waitFor();
    expect(await studio.rest.read('GET', `/v1/folders/${folders[0]?.id ?? ''}/files`)).toEqual([]);
  });

  it('schedules a message, pauses it and deletes it', async () => {
    const { id } = await studio.anAgent();
    await open(`/agents/${id}/sleep`);

    await button('Schedule a message').click();
    await page.getByRole('form').getByLabel('Message').fill('What is planned?');
    await page.getByText('Again and again').click();
    await page.getByLabel('Times, as a cron').fill('0 9 * * 1-5');
    await button('Schedule').click();

    const schedule = page.getByRole('group', { name: 'What is planned?' });
    await schedule.getByText(/0 9 \* \* 1-5 .* Next/).waitFor();
    await schedule.getByRole('button', { name: 'Pause' }).click();
    await schedule.getByText('Paused').waitFor();
    await schedule.getByRole('button', { name: 'Delete' }).click();
    await schedule.getByRole('button', { name: 'Delete it' }).click();
    await schedule.waitFor({ state: 'detached' });
    expect(await studio.rest.read('GET', `/v1/agents/${id}/schedule`)).toMatchObject({
      scheduled_messages: [],
    });
  });

  it('says what is wrong with a cron, and keeps what was typed', async () => {
    const { id } = await studio.anAgent({ enable_sleeptime: true });
    await open(`/agents/${id}/sleep`);

    await button('New schedule').click();
    await page.getByLabel('Times, as a cron').fill('every night');
    await button('Schedule').click();

    await page.getByRole('form').getByRole('alert').waitFor();
    expect(await page.getByLabel('Times, as a cron').inputValue()).toBe('every night');
    await page.getByLabel('Times, as a cron').fill('0 3 * * *');
    await button('Schedule').click();
    await page.getByRole('group', { name: /^Refine at 0 3 \* \* \*/ }).waitFor();
  });

  it('makes a group, talks in it, and deletes it', async () => {
    await studio.anAgent({ name: 'Nansen' });
    await studio.anAgent({ name: 'Amundsen' });
    await open('/groups');
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

    const answers = page.getByRole('article').filter({ hasText: 'Heard.' });
    await answers.filter({ hasText: 'Nansen' }).first().waitFor();
    await answers.filter({ hasText: 'Amundsen' }).first().waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await button('Delete').click();
    await button('Delete it').click();
    await page.getByRole('heading', { name: 'Plan the trip' }).waitFor({ state: 'detached' });
    const groups = await studio.rest.read<{ description: string }[]>('GET', '/v1/groups?limit=1000');
    expect(groups.map(({ description }) => description)).not.toContain('Plan the trip');
  });
});
