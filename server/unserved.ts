import type { HTTPMethods } from 'fastify';
import type { App } from './deps.js';
import { RequestRefusedError } from './problems.js';
import { clientOperations } from './wire/client-operations.js';

/** Why operations are not served, by the beginning of their names; the first that fits. */
const reasons: readonly (readonly [prefix: RegExp, reason: string])[] = [
  [
    /^(templates|environments|access_tokens|projects|agents\.templates|agents\.memory_variables)\b/,
    'It belongs to Letta’s hosted service; here agents are made with agents.create, or by exporting and importing one.',
  ],
  [
    /^(batches|messages\.list_batch)/,
    'A provider’s batch interface can’t be resumed like a turn: send each message with agents.messages.create_async.',
  ],
  [
    /\.trace\b|^telemetry\b/,
    'Prompts and answers are not kept as traces: Temporal’s UI shows each step, and runs.messages what was said.',
  ],
  [
    /^tools\.(list_composio|add_composio)/,
    'Composio’s own interface is not offered: register its tools as an MCP server.',
  ],
  [
    /^providers\b/,
    'Providers are configured by the server’s settings, such as OPENAI_API_KEY; README.md lists them.',
  ],
  [/^voice\b/, 'Voice is not offered: send its transcript with agents.messages.create.'],
];

/** A route as two names of one path are compared: parameters are alike, whatever they are called. */
export function routeKey(method: string, url: string): string {
  const path = url.replaceAll(/:\w+|\{\w+\}/g, '*').replace(/\/+$/, '');
  return `${method} ${path}`;
}

/** Answers every operation of Letta's clients that no route serves with 501 and a sentence that names it. */
export function registerUnserved(app: App, served: ReadonlySet<string>): void {
  const missing = clientOperations.filter(([method, path]) => !served.has(routeKey(method, path)));
  for (const [method, path, operation] of missing) {
    app.route({
      method: method satisfies HTTPMethods,
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      schema: { hide: true },
      // Before the body is read: whatever it is, the answer is the same.
      onRequest: () => Promise.reject(notServed(`${operation} (${method} ${path})`, operation)),
      handler: () => undefined,
    });
  }
}

function notServed(what: string, operation: string): RequestRefusedError {
  const reason = reasons.find(([prefix]) => prefix.test(operation))?.[1];
  return new RequestRefusedError(501, `${what} is not served by this server. ${reason ?? other}`);
}

const other = 'docs/compatibility.md lists what is.';
