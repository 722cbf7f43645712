import type { Locator, Page } from 'playwright-core';
import { type OpenedPage, openBrowser, openPage } from './browser.js';
import { runCanary } from './runtime/canary.js';
import { createRest, type Rest } from './server/rest.js';
import type { TestStack } from './stack.js';

/** The studio of a stack, in a browser. */
export interface TestStudio {
  readonly stack: TestStack;
  readonly rest: Rest;
  /** An agent with the blocks `human` and `persona`. */
  readonly anAgent: (fields?: object) => Promise<{ id: string; name: string }>;
  /** Says something to an agent and waits for its answer. */
  readonly tell: (agentId: string, content: string) => Promise<void>;
  /** A page of a session of its own at this address. */
  open(path: string, options?: { width?: number; scheme?: 'light' | 'dark' }): Promise<OpenedPage>;
  close(): Promise<void>;
}

/** A studio with one page for many tests: what a page shows is all its own, but each new one takes a process. */
export interface StudioPage extends TestStudio {
  readonly page: Page;
  /** What its console complained of since the last `go`. */
  readonly complaints: string[];
  /** Goes to an address of the studio as its links do. The page is only loaded again from another server's. */
  readonly go: (address: string) => Promise<void>;
  /** Writes to the agent in the field for that. */
  readonly say: (text: string) => Promise<void>;
  readonly button: (name: string | RegExp) => Locator;
  readonly region: (name: string | RegExp) => Locator;
}

/** Opens a browser for a stack, which it then closes. */
export async function startStudio(starting: Promise<TestStack>): Promise<TestStudio> {
  const [stack, browser] = await Promise.all([starting, openBrowser()]);
  const rest = createRest(stack.url);
  return {
    ...{ stack, rest },
    anAgent: (fields = {}) =>
      rest.read('POST', '/v1/agents', {
        model: 'openai/scripted',
        embedding: 'perdure/use-lite',
        name: 'Ada',
        memory_blocks: [
          { label: 'human', value: 'Sails on Sundays.' },
          { label: 'persona', value: `I am Ada. ${runCanary()}` },
        ],
        ...fields,
      }),
    async tell(agentId, content) {
      const messages = [{ role: 'user', content: `${content} ${runCanary()}` }];
      await rest.read('POST', `/v1/agents/${agentId}/messages`, { messages });
    },
    async open(path, options = {}) {
      const opened = await openPage(browser, { url: stack.url, ...options });
      await opened.page.goto(path);
      return opened;
    },
    async close() {
      await browser.close();
      await stack.close();
    },
  };
}

/** Opens a browser for a stack, with a page that is at the studio's first address. */
export async function startStudioPage(starting: Promise<TestStack>): Promise<StudioPage> {
  const studio = await startStudio(starting);
  const { page, complaints } = await studio.open('/');
  return {
    ...studio,
    ...{ page, complaints },
    async go(address) {
      complaints.splice(0);
      if (page.url().startsWith(`${studio.stack.url}/`)) await follow(page, address);
      else await page.goto(address);
    },
    async say(text) {
      await page.getByLabel('Message', { exact: true }).fill(`${text} ${runCanary()}`);
      await page.keyboard.press('Enter');
    },
    button: (name) => page.getByRole('button', { name, exact: true }),
    region: (name) => page.getByRole('region', { name }),
  };
}

/** As a link: the history gets an entry, and the studio is told. */
async function follow(page: Page, address: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent('popstate'));`,
  );
  // Until then it may show what it showed before: the code of a tab is loaded when it is first wanted.
  const [agentId] = /agent-[^/]+/.exec(address) ?? [];
  if (agentId !== undefined) await page.getByRole('button', { name: `Copy ${agentId}` }).waitFor();
}
