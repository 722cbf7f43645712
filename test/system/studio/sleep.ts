import { beforeAll, expect, it } from '@jest/globals';
import type { StudioPage } from '../../support/studio.js';

/** What people do in the tab Sleep. */
export function testSleep(studio: () => StudioPage): void {
  let id: string;

  beforeAll(async () => {
    ({ id } = await studio().anAgent({ enable_sleeptime: true }));
  });

  it('reviews what sleep-time would change', async () => {
    const { page, rest, tell, go, button } = studio();
    const [group] = await rest.read<{ id: string }[]>('GET', `/v1/agents/${id}/groups`);
    await rest.read('PATCH', `/v1/groups/${group?.id ?? ''}`, {
      manager_config: { manager_type: 'sleeptime', manager_agent_id: id, review: true },
    });
    await tell(id, 'I keep bees');
    await go(`/agents/${id}/sleep`);

    await button('Refine now').click();
    await page.getByText('waits for your yes').first().waitFor({ timeout: 60_000 });
    await page.getByText('Keeps bees.').first().waitFor();
    await button('Accept').first().click();

    await page.getByText('merged').first().waitFor();
    await page.getByRole('tab', { name: 'Mind' }).click();
    await page.getByRole('article', { name: 'Block human' }).getByText('Keeps bees.').waitFor();
  });

  it('schedules a message, pauses it and deletes it', async () => {
    const { page, rest, go, button } = studio();
    await go(`/agents/${id}/sleep`);

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
    expect(await rest.read('GET', `/v1/agents/${id}/schedule`)).toMatchObject({ scheduled_messages: [] });
  });

  it('says what is wrong with a cron, and keeps what was typed', async () => {
    const { page, go, button } = studio();
    await go(`/agents/${id}/sleep`);

    await button('New schedule').click();
    await page.getByLabel('Times, as a cron').fill('every night');
    await button('Schedule').click();

    await page.getByRole('form').getByRole('alert').waitFor();
    expect(await page.getByLabel('Times, as a cron').inputValue()).toBe('every night');
    await page.getByLabel('Times, as a cron').fill('0 3 * * *');
    await button('Schedule').click();
    await page.getByRole('group', { name: /^Refine at 0 3 \* \* \*/ }).waitFor();
  });
}
