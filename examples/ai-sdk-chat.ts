/**
 * Talks with an agent as a page does with `useChat` of the AI SDK, loses the connection in the middle of the answer, and resumes.
 *
 *   npx tsx examples/ai-sdk-chat.ts
 *
 * Needs a running stack: npm start in another terminal. PERDURE_URL names another address than http://localhost:8283,
 * LETTA_SERVER_PASSWORD its password.
 */
// The package `ai`, version 6.
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai-6';

const server = process.env['PERDURE_URL'] ?? 'http://localhost:8283';
const headers = { authorization: `Bearer ${process.env['LETTA_SERVER_PASSWORD'] ?? 'none'}` };
const transport = new DefaultChatTransport({ api: new URL('/v1/ui/chat', server).href, headers });

// A chat's id is the agent's, or that of one of its conversations.
const chatId = await makeAgent();
const question: UIMessage = {
  ...{ id: 'question-1', role: 'user' },
  parts: [{ type: 'text', text: 'My name is Ada. I love tea. I collect maps. I play the cello.' }],
};
const connection = new AbortController();
const stream = await transport.sendMessages({
  ...{ trigger: 'submit-message', chatId, messageId: undefined, messages: [question] },
  abortSignal: connection.signal,
});
await stream.getReader().read();
connection.abort();
say('The connection is lost. The agent goes on.');

// Null where the agent has answered meanwhile. Posting the same message again would give its answer too, and ask nothing twice.
const resumed = await transport.reconnectToStream({ chatId });
const answer = await lastOf(resumed ?? (await ask(question)));
for (const part of answer?.parts ?? []) {
  if (part.type === 'dynamic-tool') say(`calls ${part.toolName}: ${part.state}`);
  if (part.type === 'text') say(`agent: ${part.text}`);
}

function ask(message: UIMessage) {
  return transport.sendMessages({
    ...{ trigger: 'submit-message', chatId, messageId: undefined, messages: [message] },
    abortSignal: undefined,
  });
}

async function lastOf(read: Awaited<ReturnType<typeof ask>>): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream: read })) last = message;
  return last;
}

async function makeAgent(): Promise<string> {
  const answered = await fetch(new URL('/v1/agents/', server), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ name: 'chat example', model: process.env['PERDURE_MODEL'] ?? 'perdure/demo' },
      memory_blocks: [{ label: 'human', value: 'Name: not known yet' }],
    }),
  });
  if (!answered.ok) throw new Error(await answered.text());
  return ((await answered.json()) as { id: string }).id;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
