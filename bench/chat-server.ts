import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Serves an OpenAI-compatible API on a free port and reports its URL to the parent process. Ends when the parent ends,
 * even by a kill.
 */
export function serveChats(answer: (body: unknown, response: ServerResponse, path: string) => void): void {
  const server = createServer((request, response) => {
    readBody(request)
      .then((body) => {
        answer(JSON.parse(body), response, request.url ?? '');
      })
      .catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.send?.({ ready: true, baseUrl: `http://127.0.0.1:${port}/v1` });
  });
  process.once('disconnect', () => process.exit(0));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

/** A chunk of a streamed answer, as a line of server-sent events. */
export function toChunkLine(
  { model }: { readonly model: string },
  choices: readonly object[],
  usage: object | null = null,
): string {
  const chunk = { id: 'chatcmpl', object: 'chat.completion.chunk', created: 1, model, choices, usage };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** The messages after the user's last one. Heartbeats and notices have the user's role, but are the runtime's. */
export function sinceUser<Message extends { readonly role: string; readonly content: unknown }>(
  messages: readonly Message[],
): { readonly user: Message | undefined; readonly since: readonly Message[] } {
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && !isFromRuntime(content));
  return { user: messages[at], since: messages.slice(at + 1) };
}

function isFromRuntime(content: unknown): boolean {
  return typeof content === 'string' && /^\{"type":"(heartbeat|system_alert)"/.test(content);
}
