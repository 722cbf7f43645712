import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packageFile } from '../../stack/processes.js';
import { routeKey } from '../../server/http/unserved.js';
import { readClientOperations } from '../conformance/client-operations.js';
import { clientsOf } from '../conformance/compatibility.js';
import { type ClientId, clients, type Shown } from '../conformance/shown/shown.js';
import { compileForRun } from './run/compiled.js';
import { runForJsonLines } from './json-lines.js';
import type { Policy } from './model-server.js';
import { pythonWith } from './python-clients.js';
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.js';
import { shareTestStack, type TestStack } from './stack.js';

type Client = (typeof clients)[number];

const isFull = process.env['CONFORMANCE'] === 'full';

/** A conformance test: programs of all four clients against one stack. */
export interface Conformance {
  readonly title: string;
  /** Ends the names of the programs: `_files` is `python_0_files.py`, `typescript-0-files.ts` and their like. */
  readonly programs?: string;
  readonly model: Policy;
  readonly prepare?: (stack: TestStack) => void | Promise<void>;
  readonly shown: Shown;
  /** The requirement that a client's areas show. */
  readonly requirement: (client: ClientId) => string;
  /** What each area of a client must report, by the area's name. A client without any has no program. */
  readonly expected: (client: Client) => Readonly<Record<string, unknown>>;
  readonly timeoutMs?: number;
  /** In `npm test` too by the clients of both languages; others by TypeScript's, and in full by `npm run conformance`. */
  readonly byAll?: true;
}

interface AreaReport {
  readonly area: string;
  readonly facts?: unknown;
  readonly error?: string;
}

/**
 * Declares the tests: each area of each client's program reports what is expected of it, and each client called, with
 * success, every operation that `shown` claims for it.
 */
export function describeConformance(test: Conformance): void {
  const tested = clients
    .filter(({ id }) => test.byAll === true || isFull || id.startsWith('ts-'))
    .filter((client) => Object.keys(test.expected(client)).length > 0);
  const cases = tested.flatMap((client) =>
    Object.entries(test.expected(client)).map(([area, facts]) => ({
      area,
      facts,
      client: client.name,
      id: client.id,
      requirement: test.requirement(client.id),
    })),
  );

  describe(test.title, () => {
    let stack: TestStack;
    let proxy: RecordingProxy;
    const reports = new Map<ClientId, AreaReport[]>();

    beforeAll(async () => {
      stack = await shareTestStack(test.model);
      await test.prepare?.(stack);
      proxy = await startRecordingProxy(stack.url);
      await Promise.all(
        tested.map(async ({ id }) => {
          reports.set(id, await runProgram(id, test.programs ?? '', proxy.url));
        }),
      );
    }, test.timeoutMs ?? 240_000);

    afterAll(async () => {
      await proxy.close();
      await stack.close();
    });

    it.each(cases)('[$requirement] $client: $area', ({ id, area, facts }) => {
      const report = reports.get(id)?.find((one) => one.area === area);

      expect(report?.error).toBeUndefined();
      expect(report?.facts).toEqual(facts);
    });

    it.each(tested)('[wire.compatibility] $name asked with success for all that it shows', ({ id }) => {
      const asked = proxy.calls.filter(({ client, status }) => client === id && status < 300);

      expect(claimedBy(id, test.shown).filter((claim) => !asked.some(claim.isCall))).toEqual([]);
    });
  });
}

async function runProgram(client: ClientId, suffix: string, url: string): Promise<AreaReport[]> {
  return (await runForJsonLines(...(await commandOf(client, suffix, url)))) as AreaReport[];
}

async function commandOf(
  client: ClientId,
  suffix: string,
  url: string,
): Promise<[command: string, args: string[]]> {
  const python = async (version: '0.1.172' | '1.12.1', generation: 0 | 1): Promise<[string, string[]]> => [
    await pythonWith(version),
    [packageFile(`test/conformance/python_${generation}${suffix}.py`), url],
  ];
  const typescript = async (generation: 0 | 1): Promise<[string, string[]]> => [
    process.execPath,
    [await compileForRun(`test/conformance/typescript-${generation}${suffix.replace('_', '-')}.ts`), url],
  ];
  switch (client) {
    case 'py-0':
      return python('0.1.172', 0);
    case 'py-1':
      return python('1.12.1', 1);
    case 'ts-0':
      return typescript(0);
    case 'ts-1':
      return typescript(1);
  }
}

interface Claim {
  readonly name: string;
  readonly isCall: (call: { readonly method: string; readonly path: string }) => boolean;
}

/** The operations that a client must have asked for. A path that names another operation is not a parameter of one. */
function claimedBy(client: ClientId, { areas }: Shown): Claim[] {
  const operations = readClientOperations();
  const literal = new Set(operations.map(({ method, path }) => routeKey(method, path)));
  return Object.values(areas).flatMap((area) =>
    operations
      .filter((operation) => area.operations.includes(operation.name))
      .filter((operation) => clientsOf(operation, area).includes(client))
      .map(({ name, method, path }) => {
        const shape = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
        const isOther = (asked: string): boolean => asked !== path && literal.has(routeKey(method, asked));
        return {
          name,
          isCall: (call) => call.method === method && shape.test(call.path) && !isOther(call.path),
        };
      }),
  );
}
