/**
 * Talks with an agent as a page of AG-UI does, and prints the events as they come.
 *
 *   npx tsx examples/ag-ui-run.ts
 *
 * Needs a running stack: npm start in another terminal. PERDURE_URL names another address than http://localhost:8283,
 * LETTA_SERVER_PASSWORD its password.
 */
import { HttpAgent } from '@ag-ui/client';

const server = process.env['PERDURE_URL'] ?? 'http://localhost:8283';
const headers = { authorization: `Bearer ${process.env['LETTA_SERVER_PASSWORD'] ?? 'none'}` };

// A thread is an agent, or one of its conversations.
const agent = new HttpAgent({ url: new URL('/v1/ag-ui', server).href, headers, threadId: await makeAgent() });
agent.addMessage({ id: 'question-1', role: 'user', content: 'My name is Ada. I love tea.' });
await agent.runAgent(
  {},
  {
    onToolCallEndEvent: ({ toolCallName }) => {
      say(`calls ${toolCallName}`);
    },
    onTextMessageEndEvent: ({ textMessageBuffer }) => {
      say(`agent: ${textMessageBuffer}`);
    },
  },
);

async function makeAgent(): Promise<string> {
  const answered = await fetch(new URL('/v1/agents/', server), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ name: 'run example', model: process.env['PERDURE_MODEL'] ?? 'perdure/demo' },
      memory_blocks: [{ label: 'human', value: 'Name: not known yet' }],
    }),
  });
  if (!answered.ok) throw new Error(await answered.text());
  return ((await answered.json()) as { id: string }).id;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
