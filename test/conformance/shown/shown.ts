/** A published client that perdure is tested with. */
export type ClientId = 'py-0' | 'py-1' | 'ts-0' | 'ts-1';

/** Every client, with its version and its generation. */
export const clients = [
  { id: 'py-0', name: 'Python 0.1.172', generation: 0 },
  { id: 'py-1', name: 'Python 1.12.1', generation: 1 },
  { id: 'ts-0', name: 'TypeScript 0.1.132', generation: 0 },
  { id: 'ts-1', name: 'TypeScript 1.12.1', generation: 1 },
] as const satisfies readonly { readonly id: ClientId; readonly name: string; readonly generation: 0 | 1 }[];

/**
 * What one conformance test shows: areas of the programs that it runs in every client, each with the operations whose
 * effects it asserts. The test fails where a client whose generation has an operation never called it with success.
 */
export interface Shown {
  /** The file of the test. */
  readonly test: string;
  readonly areas: Readonly<Record<string, ShownArea>>;
}

/** Names of operations, as `docs/compatibility.md` has them. */
export interface ShownArea {
  readonly operations: readonly string[];
  /** Clients that show it; absent: all whose generation has the operation. */
  readonly clients?: readonly ClientId[];
}
