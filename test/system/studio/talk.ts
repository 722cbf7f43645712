import { expect, it } from '@jest/globals';
import type { StudioPage } from '../../support/studio.js';

/** What people do in the tab Talk. */
export function testTalk(studio: () => StudioPage): void {
  const memory = () => studio().page.getByLabel('Core memory');

  it('shows an answer, the call that edits memory, and the memory as it changes', async () => {
    const { page, complaints, anAgent, go, say } = studio();
    const { id } = await anAgent();
    await go(`/agents/${id}`);

    await say('Remember Likes tea.');

    await page.getByText('Heard: Remember Likes tea.').waitFor();
    await page.getByText('edits human').waitFor();
    await memory().getByText('Likes tea').waitFor();
    expect(await memory().getByText('Sails on Sundays.').isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('waits with a second message, and answers it after the turn under way', async () => {
    const { page, stack, anAgent, go, say } = studio();
    const { id } = await anAgent();
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    stack.model.onHalfway = () => gate;
    await go(`/agents/${id}`);

    await say('First');
    await page.getByText('Working').waitFor();
    await say('Second');
    await page.getByText('1 more message waits').waitFor();
    release();

    await page.getByText('Heard: First').waitFor();
    await page.getByText('Heard: Second').waitFor();
  });

  it('goes on with a turn whose worker was killed', async () => {
    const { page, stack, anAgent, go, say } = studio();
    const { id } = await anAgent();
    let reach = (): void => undefined;
    const reached = new Promise<void>((resolve) => (reach = resolve));
    stack.model.onHalfway = () => {
      reach();
      return new Promise(() => undefined);
    };
    await go(`/agents/${id}`);

    await say('Are you there?');
    await reached;
    await stack.worker.kill();
    stack.model.onHalfway = undefined;
    await stack.startWorker();

    await page.getByText('Heard: Are you there?').waitFor({ timeout: 60_000 });
  });

  it('ends a turn that is stopped', async () => {
    const { rest, stack, anAgent, go, say, button } = studio();
    const { id } = await anAgent();
    stack.model.onHalfway = () => new Promise(() => undefined);
    await go(`/agents/${id}`);

    await say('Take your time');
    await button('Stop').click();

    await button('Stop').waitFor({ state: 'detached' });
    const [run] = await rest.read<{ status: string }[]>('GET', `/v1/runs?agent_id=${id}`);
    expect(run?.status).toBe('cancelled');
  });

  it('asks before a call that needs a yes, and runs it after that', async () => {
    const { page, rest, anAgent, go, say, button } = studio();
    const { id } = await anAgent();
    await rest.read('PATCH', `/v1/agents/${id}/tools/approval/core_memory_append`, {
      requires_approval: true,
    });
    await go(`/agents/${id}`);

    await say('Remember Has a cat.');
    await button('Approve').click();

    await memory().getByText('Has a cat').waitFor();
    await page.getByText('Heard: Remember Has a cat.').waitFor();
  });

  it('forks the agent from a message', async () => {
    const { page, anAgent, tell, go } = studio();
    const { id } = await anAgent();
    await tell(id, 'Remember Likes tea.');
    await tell(id, 'Remember Rows.');
    await go(`/agents/${id}`);
    const first = page.getByRole('article').filter({ hasText: 'Heard: Remember Likes tea.' });
    await first.hover();

    await first.getByRole('button', { name: 'Fork from here' }).click();

    await page.waitForURL((url) => !url.pathname.includes(id));
    await page.getByText('Heard: Remember Likes tea.').waitFor();
    await memory().getByText('Likes tea').waitFor();
    await memory().getByText('Rows').waitFor({ state: 'detached' });
    await page.getByText('Heard: Remember Rows.').waitFor({ state: 'detached' });
  });
}
