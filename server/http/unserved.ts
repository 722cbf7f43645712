import type { HTTPMethods } from 'fastify';
import type { App } from '../deps.js';
import { RequestRefusedError } from './problems.js';
import { clientOperations } from './client-operations-wire.js';

/** Why an operation is not served, by its name; the first that matches counts. */
const reasons: readonly (readonly [prefix: RegExp, reason: string])[] = [
  [
    /^(agents\.)?templates\b/,
    'Templates belong to Letta’s hosted service. Export an agent with agents.export_file and create copies with agents.import_file.',
  ],
  [
    /^environments\b/,
    'Environments are computers connected to Letta’s hosted service. Send to the agent with agents.messages.create; a tool that needs another computer can be a Temporal activity of a worker there.',
  ],
  [
    /^access_tokens\b/,
    'Browser tokens belong to Letta’s hosted service. Put a server of your own, which holds LETTA_SERVER_PASSWORD, between browsers and this one.',
  ],
  [
    /^projects\b/,
    'Projects belong to Letta’s hosted service. Give agents tags or a project_id, and list them by those.',
  ],
  [
    /^(batches|messages\.list_batch)/,
    'A provider’s batch interface can’t be resumed like a turn. Send each message with agents.messages.create_async; a callback_url tells you when it has ended.',
  ],
  [
    /\.trace\b|^telemetry\b/,
    'Prompts and answers are not kept as traces. steps.metrics.retrieve has a step’s times, runs.messages.list what was said, and Temporal’s UI each step.',
  ],
  [
    /^tools\.(list_composio|add_composio)/,
    'Composio’s own interface is not supported. Register its MCP server with mcp_servers.create, or with tools.add_mcp_server in clients of 0.1.x.',
  ],
  [
    /^providers\b/,
    'Providers are configured by the server’s settings, such as OPENAI_API_KEY; docs/settings.md lists them. Change them and restart the server.',
  ],
  [/^voice\b/, 'Voice is not supported. Send its transcript with agents.messages.create.'],
];

/** A route as a key: two paths that differ only in the names of their parameters have the same one. */
export function routeKey(method: string, url: string): string {
  const path = url.replaceAll(/:\w+|\{\w+\}/g, '*').replace(/\/+$/, '');
  return `${method} ${path}`;
}

/** Registers 501 for every operation of Letta's clients that no route serves. The answer names the operation and what to do. */
export function registerUnserved(app: App, served: ReadonlySet<string>): void {
  const missing = clientOperations.filter(([method, path]) => !served.has(routeKey(method, path)));
  for (const [method, path, operation] of missing) {
    app.route({
      method: method satisfies HTTPMethods,
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      schema: { hide: true },
      // Before the body is read: the answer does not depend on it.
      onRequest: () => Promise.reject(notServed(`${operation} (${method} ${path})`, operation)),
      handler: () => undefined,
    });
  }
}

function notServed(what: string, operation: string): RequestRefusedError {
  const reason = reasons.find(([prefix]) => prefix.test(operation))?.[1];
  return new RequestRefusedError(501, `${what} is not served by this server. ${reason ?? other}`);
}

const other = 'docs/compatibility.md lists the operations that are.';
