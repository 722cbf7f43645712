import type { HTTPMethods } from 'fastify';
import type { App } from '../deps.js';
import { RequestRefusedError } from './problems.js';
import { clientOperations } from './client-operations-wire.js';

/** Why operations are not served, by the beginning of their names; the first that fits. */
const reasons: readonly (readonly [prefix: RegExp, reason: string])[] = [
  [
    /^(agents\.)?templates\b/,
    'Templates belong to Letta’s hosted service: export an agent with agents.export_file, and make others of it with agents.import_file.',
  ],
  [
    /^environments\b/,
    'Environments are computers that are connected to Letta’s hosted service: send to the agent with agents.messages.create, and let tools that need another computer be Temporal activities of its worker.',
  ],
  [
    /^access_tokens\b/,
    'Tokens for browsers belong to Letta’s hosted service: keep LETTA_SERVER_PASSWORD in a server of your own between browsers and this one.',
  ],
  [
    /^projects\b/,
    'Projects belong to Letta’s hosted service: give agents tags or a project_id, and list them by these.',
  ],
  [
    /^(batches|messages\.list_batch)/,
    'A provider’s batch interface can’t be resumed like a turn: send each message with agents.messages.create_async, with a callback_url where you don’t want to ask for its end.',
  ],
  [
    /\.trace\b|^telemetry\b/,
    'Prompts and answers are not kept as traces: steps.metrics.retrieve says how long a step took, runs.messages.list what was said, and Temporal’s UI shows each step.',
  ],
  [
    /^tools\.(list_composio|add_composio)/,
    'Composio’s own interface is not offered: register its MCP server with mcp_servers.create, or tools.add_mcp_server in clients of 0.1.x.',
  ],
  [
    /^providers\b/,
    'Providers are configured by the server’s settings, such as OPENAI_API_KEY, of which README.md has a list: change them, and start the server anew.',
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
