import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { routeKey } from '../../server/http/unserved.js';
import { clientOperations } from '../../server/http/client-operations-wire.js';
import { packageFile } from '../../stack/processes.js';
import { importFields } from '../../server/transfer/agent-transfer-wire.js';
import { readClientFields } from '../conformance/client-fields.js';
import {
  type ClientOperation,
  newerOperations,
  olderOperations,
  readClientOperations,
} from '../conformance/client-operations.js';
import { withoutEffect } from '../conformance/without-effect.js';
import { allShown, renderCompatibility } from '../conformance/compatibility.js';
import { startTestServer, type TestServer } from '../server/test-server.js';

const documentFile = packageFile('docs/compatibility.md');
const tableFile = packageFile('server/http/client-operations-wire.ts');
const isRecording = process.env['RECORD_COMPATIBILITY'] !== undefined;

/** A shape in the OpenAPI document: properties, a reference, or alternatives. */
interface ShapeDocument {
  readonly $ref?: string | undefined;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
  readonly anyOf?: readonly ShapeDocument[] | undefined;
  readonly oneOf?: readonly ShapeDocument[] | undefined;
  readonly allOf?: readonly ShapeDocument[] | undefined;
}
const shape: z.ZodType<ShapeDocument> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    properties: z.record(z.string(), z.unknown()).optional(),
    anyOf: z.array(shape).optional(),
    oneOf: z.array(shape).optional(),
    allOf: z.array(shape).optional(),
  }),
);
const route = z.object({
  parameters: z.array(z.object({ name: z.string() })).default([]),
  requestBody: z.object({ content: z.record(z.string(), z.object({ schema: shape })) }).optional(),
});
const openApi = z.object({
  paths: z.record(z.string(), z.record(z.string(), route)),
  components: z.object({ schemas: z.record(z.string(), shape) }),
});
type OpenApi = z.infer<typeof openApi>;

/** The form fields that routes read. The OpenAPI document leaves them out. */
const formFields: Readonly<Record<string, readonly string[]>> = {
  'agents.import_file': ['file', 'x-override-embedding-model', ...Object.keys(importFields.shape)],
  'folders.files.upload': ['file'],
};
/** Names with which the newer TypeScript client distinguishes two fields of the same name. */
const clientsOwnNames: Readonly<Record<string, string>> = {
  query_requires_approval: 'requires_approval',
};

describe('compatibility', () => {
  const operations = readClientOperations();
  let server: TestServer;
  let document: OpenApi;
  let routes: ReadonlySet<string>;

  beforeAll(async () => {
    if (isRecording) writeFileSync(tableFile, renderTable(operations));
    server = await startTestServer();
    document = await server.read(openApi, 'GET', '/openapi.json');
    routes = new Set(
      Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => routeKey(method.toUpperCase(), path)),
      ),
    );
  });

  afterAll(() => server.close());

  it('covers every operation of the newer clients', () => {
    expect(operations.filter(({ generations }) => generations.includes(1))).toHaveLength(128);
  });

  it('[wire.unserved] has an up-to-date table of the clients’ operations', () => {
    expect(clientOperations).toEqual(operations.map(({ method, path, name }) => [method, path, name]));
  });

  it('[wire.compatibility] is documented in accordance with the clients, the routes and the tests', () => {
    const rendered = renderCompatibility(operations, routes);
    if (isRecording) writeFileSync(documentFile, rendered);

    expect(readFileSync(documentFile, 'utf8')).toBe(rendered);
  });

  it('[wire.compatibility] names only existing operations', () => {
    const known = new Set(operations.map(({ name }) => name));
    const named = allShown.flatMap(({ areas }) => Object.values(areas).flatMap((area) => area.operations));

    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it.each([1, 0] as const)(
    '[wire.fields] covers every field that clients of generation %d send, or explains why not',
    (generation) => {
      const named = generation === 1 ? newerOperations() : olderOperations();
      const fields = readClientFields(generation);
      const unread = named.flatMap((operation) => {
        const read = fieldsRead(document, operation);
        return read === undefined
          ? []
          : [...(fields.get(operation.name) ?? [])]
              .filter((field) => !read.has(clientsOwnNames[field] ?? field))
              .map((field) => `${operation.name}: ${field}`);
      });

      const listed = new Set(
        withoutEffect.flatMap(({ operations: of, fields: all }) =>
          of.flatMap((name) => all.map((field) => `${name}: ${field}`)),
        ),
      );
      expect(unread.filter((one) => !listed.has(one))).toEqual([]);
    },
  );

  it('[wire.fields] lists as without effect only fields that a client sends and no route reads', () => {
    const sent = ([1, 0] as const).map((generation) => readClientFields(generation));
    const all = [...newerOperations(), ...olderOperations()];
    const stale = withoutEffect.flatMap(({ operations: of, fields, isKept = false }) =>
      fields.filter((field) => {
        const senders = of.filter((name) => sent.some((known) => known.get(name)?.has(field) === true));
        const readers = all
          .filter(({ name }) => senders.includes(name))
          .filter((operation) => fieldsRead(document, operation)?.has(field) === true);
        return senders.length === 0 || (readers.length > 0 && !isKept);
      }),
    );

    expect(stale).toEqual([]);
  });

  it('[wire.unserved] answers every operation without a route with 501, its name and no retry', async () => {
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

/** The names that a route reads from its path, query and body, in Python's spelling. Undefined without such a route. */
function fieldsRead(document: OpenApi, operation: ClientOperation): ReadonlySet<string> | undefined {
  const key = routeKey(operation.method, operation.path);
  const found = Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, one]) => ({ path, method, one })))
    .find(({ path, method }) => routeKey(method.toUpperCase(), path) === key);
  if (found === undefined) return undefined;
  const { parameters, requestBody } = found.one;
  const names = [
    ...parameters.map(({ name }) => name),
    ...[...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    ...Object.values(requestBody?.content ?? {}).flatMap((body) => propertiesOf(document, body.schema)),
    ...(formFields[operation.name] ?? []),
  ];
  // Some names of Letta's hosted service are not in Python's spelling.
  return new Set(
    names.flatMap((name) => [name, name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]),
  );
}

function propertiesOf(document: OpenApi, { $ref, properties, anyOf, oneOf, allOf }: ShapeDocument): string[] {
  const named = $ref === undefined ? undefined : document.components.schemas[$ref.split('/').at(-1) ?? ''];
  const parts = [
    ...(named === undefined ? [] : [named]),
    ...(anyOf ?? []),
    ...(oneOf ?? []),
    ...(allOf ?? []),
  ];
  return [...Object.keys(properties ?? {}), ...parts.flatMap((part) => propertiesOf(document, part))];
}

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
