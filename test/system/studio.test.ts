import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserPath, seriousFaults, seriousFaultsInDark } from '../support/browser.js';
import { runCanary } from '../support/runtime/canary.js';
import { lastSaid, type Policy } from '../support/model-server.js';
import { shareTestStack } from '../support/stack.js';
import { startStudio, type TestStudio } from '../support/studio.js';

/** Remembers what follows "Remember", replaces what follows "Forget", and says something to anything else. */
const policy: Policy = (request, step) => {
  const thinking = `I act. ${runCanary()}`;
  if (request.tools?.some((tool) => tool.function.name === 'memory_finish_edits') === true) {
    return step === 0
      ? { call: 'memory_insert', args: { label: 'human', new_string: 'Keeps bees.' } }
      : { call: 'memory_finish_edits', args: {} };
  }
  const said = unpacked(lastSaid(request));
  const [, fact] = /Remember (.+?)\./.exec(said) ?? [];
  if (step === 0 && fact !== undefined)
    return {
      call: 'core_memory_append',
      args: { thinking, label: 'human', content: fact, request_heartbeat: true },
    };
  return { call: 'send_message', args: { thinking, message: `You said: ${said}` } };
};

/** What the user wrote, out of the event that the runtime packs it in. */
function unpacked(said: string): string {
  return said.startsWith('{') ? (JSON.parse(said) as { message: string }).message : said;
}

/** All tabs of an agent, and their parts that have addresses. */
const tabPaths = [
  ...['talk', 'mind', 'context', 'context/request', 'context/history', 'turns', 'recall', 'recall/said'],
  ...['recall/files', 'sleep', 'settings'],
];

const describeInBrowser = browserPath === undefined ? describe.skip : describe;

describeInBrowser('[studio.pages] the studio in a browser (needs Chromium: apt-get install chromium)', () => {
  let studio: TestStudio;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    studio = await startStudio(shareTestStack(policy));
    ({ page, complaints } = await studio.open('about:blank'));
  });
  afterAll(() => studio.close());
  afterEach(() => {
    studio.stack.model.onHalfway = undefined;
  });

  // In one page for all tests: what a page shows is all its own, but each new one takes a process.
  const open = async (address: string): Promise<void> => {
    complaints.splice(0);
    await page.goto(address);
  };
  const say = async (text: string): Promise<void> => {
    await page.getByLabel('Message', { exact: true }).fill(`${text} ${runCanary()}`);
    await page.keyboard.press('Enter');
  };
  const memory = () => page.getByLabel('Core memory');

  it('shows an answer, the call that edits memory, and the memory as it changes', async () => {
    const { id } = await studio.anAgent();
    await open(`/agents/${id}`);

    await say('Remember Likes tea.');

    await page.getByText('You said: Remember Likes tea.').waitFor();
    await page.getByText('edits human').waitFor();
    await memory().getByText('Likes tea').waitFor();
    expect(await memory().getByText('Sails on Sundays.').isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('waits with a second message, and answers it after the turn under way', async () => {
    const { id } = await studio.anAgent();
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    studio.stack.model.onHalfway = () => gate;
    await open(`/agents/${id}`);

    await say('First');
    await page.getByText('Working').waitFor();
    await say('Second');
    await page.getByText('1 more message waits').waitFor();
    go();

    await page.getByText('You said: First').waitFor();
    await page.getByText('You said: Second').waitFor();
  });

  it('goes on with a turn whose worker was killed', async () => {
    const { id } = await studio.anAgent();
    let reach = (): void => undefined;
    const reached = new Promise<void>((resolve) => (reach = resolve));
    studio.stack.model.onHalfway = () => {
      reach();
      return new Promise(() => undefined);
    };
    await open(`/agents/${id}`);

    await say('Are you there?');
    await reached;
    await studio.stack.worker.kill();
    studio.stack.model.onHalfway = undefined;
    await studio.stack.startWorker();

    await page.getByText('You said: Are you there?').waitFor({ timeout: 60_000 });
  });

  it('ends a turn that is stopped', async () => {
    const { id } = await studio.anAgent();
    studio.stack.model.onHalfway = () => new Promise(() => undefined);
    await open(`/agents/${id}`);

    await say('Take your time');
    await page.getByRole('button', { name: 'Stop' }).click();

    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    const [run] = await studio.rest.read<{ status: string }[]>('GET', `/v1/runs?agent_id=${id}`);
    expect(run?.status).toBe('cancelled');
  });

  it('asks before a call that needs a yes, and runs it after that', async () => {
    const { id } = await studio.anAgent();
    await studio.rest.read('PATCH', `/v1/agents/${id}/tools/approval/core_memory_append`, {
      requires_approval: true,
    });
    await open(`/agents/${id}`);

    await say('Remember Has a cat.');
    await page.getByRole('button', { name: 'Approve' }).click();

    await memory().getByText('Has a cat').waitFor();
    await page.getByText('You said: Remember Has a cat.').waitFor();
  });

  it('shows who wrote each line, takes a change back, and shows the memory as it was', async () => {
    const { id } = await studio.anAgent();
    await studio.tell(id, 'Remember Likes tea.');
    await open(`/agents/${id}/mind`);

    await page.getByLabel('History of human').first().click();
    const history = page.getByRole('region', { name: 'History of human' });
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
    const { id } = await studio.anAgent();
    const [block] = await studio.rest.read<{ id: string }[]>('GET', `/v1/agents/${id}/core-memory/blocks`);
    await open(`/agents/${id}/mind`);
    await page.getByLabel('Edit human').click();
    await page.getByLabel('Value of human').fill('Sails on Mondays.');

    await studio.rest.read('POST', `/v1/blocks/${block?.id ?? ''}/operations`, {
      kind: 'append',
      content: 'Has a boat.',
    });

    await page.getByText('The block changed while you were editing.').waitFor();
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Keep my text instead' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('article', { name: 'Block human' }).getByText('revision 3').waitFor();
  });

  it('shows the context by its parts, and a turn by its steps', async () => {
    const { id } = await studio.anAgent();
    await studio.tell(id, 'Remember Likes tea.');
    await open(`/agents/${id}/context`);
    await page.getByRole('button', { name: /^Instructions/ }).click();
    await page.getByText('You are an agent that lives on').waitFor();
    await page.getByRole('button', { name: 'The whole request' }).click();
    await page.getByText('JSON', { exact: true }).click();
    await page.getByText('"role": "system"').waitFor();

    await page.getByRole('tab', { name: 'Turns' }).click();
    const turn = page.getByRole('region', { name: 'The turn' });
    await turn.getByText('Step 2 · scripted').waitFor();
    await turn.getByRole('button', { name: 'Fork after it' }).first().click();
    await page.waitForURL((url) => !url.pathname.includes(id));
    await memory().getByText('Likes tea').waitFor();
  });

  it('adds, finds, pins and deletes a passage', async () => {
    const { id } = await studio.anAgent();
    await open(`/agents/${id}/recall`);
    await page.getByLabel('A new passage').fill('The boat is called Fram.');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('listitem').getByText('The boat is called Fram.').waitFor();
    await page.getByLabel('Search by words and meaning').fill('Fram');
    await page.locator('mark').getByText('Fram').waitFor();
    await page.getByLabel('Pin into the context').click();
    await page.getByLabel('Pin into the context').and(page.locator('[aria-pressed=true]')).waitFor();
    await page.getByLabel('Delete the passage').click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Nothing found').waitFor();
    expect(await studio.rest.read('GET', `/v1/agents/${id}/archival-memory`)).toEqual([]);
  });

  it('reviews what sleep-time would change', async () => {
    const agent = await studio.anAgent({ enable_sleeptime: true });
    const [group] = await studio.rest.read<{ id: string }[]>('GET', `/v1/agents/${agent.id}/groups`);
    await studio.rest.read('PATCH', `/v1/groups/${group?.id ?? ''}`, {
      manager_config: { manager_type: 'sleeptime', manager_agent_id: agent.id, review: true },
    });
    await studio.tell(agent.id, 'I keep bees');
    await open(`/agents/${agent.id}/sleep`);

    await page.getByRole('button', { name: 'Refine now' }).click();
    await page.getByText('waits for your yes').first().waitFor({ timeout: 60_000 });
    await page.getByText('Keeps bees.').first().waitFor();
    await page.getByRole('button', { name: 'Accept' }).first().click();

    await page.getByText('merged').first().waitFor();
    await page.getByRole('tab', { name: 'Mind' }).click();
    await page.getByRole('article', { name: 'Block human' }).getByText('Keeps bees.').waitFor();
  });

  it('makes, finds and deletes an agent', async () => {
    await open('/');
    await page.getByRole('main').getByRole('button', { name: 'New agent' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Grace');
    await dialog.getByLabel('What it knows about you').fill(`Studies ships. ${runCanary()}`);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Grace' }).waitFor();
    await memory().getByText('Studies ships.').waitFor();

    await page.keyboard.press('Control+k');
    await page.getByLabel('Find an agent, a block or a message').fill('Grace');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Grace/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('More about Grace').click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: /agents?$/ }).waitFor();
    expect(await studio.rest.read('GET', '/v1/agents?name=Grace')).toEqual([]);
  });

  it('says that an agent is gone, and what an address does not lead to', async () => {
    await open('/agents/agent-00000000-0000-4000-8000-000000000000');
    await page.getByText('There is no such agent').waitFor();
    await page.goto('/agents/agent-00000000-0000-4000-8000-000000000000/nowhere');
    await page.getByText('There is no such agent').waitFor();
  });

  it('asks for the password where the server has one', async () => {
    const server = await studio.stack.startServer({ LETTA_SERVER_PASSWORD: 'open sesame' });
    await open(server.url);
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.getByRole('button', { name: 'Open the studio' }).click();
    await page.getByText('That is not the password.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill('open sesame');
    await page.getByRole('button', { name: 'Open the studio' }).click();
    await page.getByRole('heading', { name: /agents?$/ }).waitFor();
  });

  it('[studio.access] has no serious fault of access, in light and in dark', async () => {
    const { id } = await studio.anAgent();
    await studio.tell(id, 'Remember Likes tea.');
    await open('/');
    await page.getByRole('heading', { name: /agents?$/ }).waitFor();
    const faults = await faultsNow('/');
    for (const path of tabPaths) {
      await page.goto(`/agents/${id}/${path}`);
      await page.getByRole('tabpanel').waitFor();
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      faults.push(...(await faultsNow(path)));
    }
    expect(faults).toEqual([]);
    expect(complaints).toEqual([]);
  });

  async function faultsNow(path: string): Promise<string[]> {
    const faults = [...(await seriousFaults(page)), ...(await seriousFaultsInDark(page))];
    return faults.map((fault) => `${path}: ${fault}`);
  }
});
