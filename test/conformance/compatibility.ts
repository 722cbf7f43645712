import { routeKey } from '../../server/http/unserved.js';
import { type ClientOperation } from './client-operations.js';
import { agents } from './shown/agents.js';
import { core } from './shown/core.js';
import { files } from './shown/files.js';
import { groups } from './shown/groups.js';
import { mcp } from './shown/mcp.js';
import { surface } from './shown/surface.js';
import { threads } from './shown/threads.js';
import { tools } from './shown/tools.js';
import { clients, type Shown } from './shown/shown.js';
import { withoutEffect } from './without-effect.js';

/** What every conformance test shows. */
export const allShown: readonly Shown[] = [agents, core, files, groups, mcp, surface, threads, tools];

/** An operation with what stands behind it. */
interface Row {
  readonly operation: ClientOperation;
  /** `served`: a route answers it and no test of the clients shows that it does so rightly. */
  readonly state: 'shown' | 'served' | 'absent';
  /** Clients that show it, and where. */
  readonly shownBy: string;
}

/** The clients that must have called an operation of an area with success. */
export function clientsOf(operation: ClientOperation, area: Shown['areas'][string]): readonly string[] {
  return clients
    .filter(({ generation }) => operation.generations.includes(generation))
    .map(({ id }) => id)
    .filter((id) => area.clients?.includes(id) ?? true);
}

/** `docs/compatibility.md`, of what the clients can ask and what the server has routes for (`routeKey`). */
export function renderCompatibility(
  operations: readonly ClientOperation[],
  routes: ReadonlySet<string>,
): string {
  const rows = operations.map((operation) => toRow(operation, routes));
  const resources = [...new Set(rows.map(({ operation }) => resourceOf(operation)))].sort();
  const sections = resources.map((resource) => renderSection(resource, rows));
  return [head(rows), ...sections, renderWithoutEffect()].join('\n');
}

function toRow(operation: ClientOperation, routes: ReadonlySet<string>): Row {
  const shownBy = allShown
    .flatMap(({ test, areas }) =>
      Object.entries(areas)
        .filter(([, area]) => area.operations.includes(operation.name))
        .map(([name, area]) => {
          const ids = clientsOf(operation, area);
          return `${ids.length === clients.length ? 'all four' : ids.join(', ')}: [${name}](../${test})`;
        }),
    )
    .join('; ');
  const isServed = routes.has(routeKey(operation.method, operation.path));
  return { operation, shownBy, state: shownBy !== '' ? 'shown' : isServed ? 'served' : 'absent' };
}

function resourceOf({ name }: ClientOperation): string {
  return name.slice(0, name.indexOf('.'));
}

function renderSection(resource: string, rows: readonly Row[]): string {
  const own = rows
    .filter(({ operation }) => resourceOf(operation) === resource)
    .sort((a, b) => (a.operation.name < b.operation.name ? -1 : 1));
  const cells = [
    ['operation', 'request', 'clients', 'shown by'],
    ...own.map(({ operation, state, shownBy }) => [
      operation.name,
      `\`${operation.method} ${operation.path}\``,
      operation.generations.map((one) => (one === 0 ? '0.1' : '1.x')).join(', '),
      { shown: shownBy, served: 'served, not shown', absent: '501' }[state],
    ]),
  ];
  return `## ${resource}\n\n${renderTable(cells)}\n`;
}

function renderWithoutEffect(): string {
  const cells = [
    ['operations', 'fields', 'why'],
    ...withoutEffect.map(({ operations, fields, why }) => [
      operations.join(', '),
      fields.map((field) => `\`${field}\``).join(', '),
      why,
    ]),
  ];
  return `## Fields without effect

These fields change nothing. perdure reads every other field that the clients can send, or refuses it with an error that says why.

${renderTable(cells)}

## Compaction

\`compaction_settings\` have effect, those of an agent and, over them, those of a request:

- \`model\` and \`model_settings\` (temperature and \`max_output_tokens\`) choose the summariser, and \`prompt\` its instructions.
- \`clip_chars\` limits the length of a summary (5,000 characters by default, at most 50,000).
- \`sliding_window_percentage\` is the share of the messages that is evicted, and \`mode\` chooses between this share and all.

Differences from Letta: the message that a turn answers stays in context in every mode. Without a \`model\` the agent's own one summarises,
and it replaces a model that is not configured. The \`self_compact_\` modes are the other modes with the agent's model.
\`prompt_acknowledgement\` changes nothing, because the summariser's answer is taken as it is.

With \`message_buffer_autoclear\` each turn begins without earlier messages. Lists and searches still return them.
`;
}

/** In columns, as the formatter would put them. */
function renderTable(cells: readonly (readonly string[])[]): string {
  const [titles = []] = cells;
  const widths = titles.map((_title, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(titles), rule, ...cells.slice(1).map(line)].join('\n');
}

function head(rows: readonly Row[]): string {
  const count = (state: Row['state']): number => rows.filter((row) => row.state === state).length;
  const newer = rows.filter(({ operation }) => operation.generations.includes(1));
  const shownNewer = newer.filter(({ state }) => state === 'shown').length;
  return `# Compatibility

This page lists every operation of two generations of Letta's official clients (npm \`@letta-ai/letta-client\` 1.12.1 and 0.1.132; PyPI
\`letta-client\` 1.12.1 and 0.1.172 make the same requests), and how perdure answers it. The last column names the clients
of the test that shows it: \`py\` and \`ts\` are languages, \`0\` and \`1\` generations. Tests check values, reads after writes, and errors.

- ${count('shown')} of ${rows.length} operations are shown by tests of the clients, ${shownNewer} of the ${newer.length} of the newer generation.
- ${count('served')} are served without a test by a client.
- ${count('absent')} return 501 with an error that names the operation and the reason.

\`RECORD_COMPATIBILITY=1 npm test -- test/house/compatibility\` writes this page. The same test fails if the page differs from
the clients, the routes and the tests.
`;
}
