import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { routeKey } from '../../server/unserved.js';
import { clientOperations } from '../../server/wire/client-operations.js';
import { packageFile } from '../../stack/processes.js';
import { type ClientOperation, readClientOperations } from '../conformance/client-operations.js';
import { allShown, renderCompatibility } from '../conformance/compatibility.js';
import { startTestServer, type TestServer } from '../server/test-server.js';

const documentFile = packageFile('docs/compatibility.md');
const tableFile = packageFile('server/wire/client-operations.ts');
const isRecording = process.env['RECORD_COMPATIBILITY'] !== undefined;

const openApi = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

describe('compatibility', () => {
  const operations = readClientOperations();
  let server: TestServer;
  let routes: ReadonlySet<string>;

  beforeAll(async () => {
    if (isRecording) writeFileSync(tableFile, renderTable(operations));
    server = await startTestServer();
    const { paths } = await server.read(openApi, 'GET', '/openapi.json');
    routes = new Set(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => routeKey(method.toUpperCase(), path)),
      ),
    );
  });

  afterAll(() => server.close());

  it('reads every operation of the newer clients', () => {
    expect(operations.filter(({ generations }) => generations.includes(1))).toHaveLength(128);
  });

  it('[wire.unserved] has the table of what the clients can ask', () => {
    expect(clientOperations).toEqual(operations.map(({ method, path, name }) => [method, path, name]));
  });

  it('[wire.compatibility] is documented as the clients, the routes and the tests say', () => {
    const rendered = renderCompatibility(operations, routes);
    if (isRecording) writeFileSync(documentFile, rendered);

    expect(readFileSync(documentFile, 'utf8')).toBe(rendered);
  });

  it('[wire.compatibility] shows no operation that there is not', () => {
    const known = new Set(operations.map(({ name }) => name));
    const named = allShown.flatMap(({ areas }) => Object.values(areas).flatMap((area) => area.operations));

    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('[wire.unserved] answers every operation without a route with 501, naming it, never to be retried', async () => {
    const absent = operations.filter(({ method, path }) => !routes.has(routeKey(method, path)));

    for (const { name, method, path } of absent) {
      const url = path.replaceAll(/\{\w+\}/g, 'some-thing');
      const { statusCode, headers, body } = await server.app.inject({ method: method as 'GET', url });
      expect({
        name,
        statusCode,
        retry: headers['x-should-retry'],
        body: JSON.parse(body) as unknown,
      }).toEqual({
        name,
        statusCode: 501,
        retry: 'false',
        body: { detail: expect.stringContaining(`${name} (${method} ${path}) is not served`) },
      });
    }
  });
});

function renderTable(operations: readonly ClientOperation[]): string {
  const lines = operations.map(({ method, path, name }) => `  ['${method}', '${path}', '${name}'],\n`);
  return `/**
 * What Letta's official clients can ask: method, path, and the operation as their newest version calls it. Written from
 * the clients themselves by \`RECORD_COMPATIBILITY=1 npm test -- test/house/compatibility\`.
 */
export const clientOperations: readonly (readonly [
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  name: string,
])[] = [
${lines.join('')}];
`;
}
