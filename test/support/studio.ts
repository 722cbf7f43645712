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
  tell(agentId: string, content: string): Promise<void>;
  /** A page of a session of its own at this address. */
  open(path: string, options?: { width?: number; scheme?: 'light' | 'dark' }): Promise<OpenedPage>;
  close(): Promise<void>;
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
