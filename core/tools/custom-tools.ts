/** A package of a language's registry that a tool's source imports, with its exact version where one is given. */
export interface ToolRequirement {
  readonly name: string;
  readonly version?: string;
}

/** What was read from a custom tool's source when it was created: all that running it needs beside the source. */
export interface ToolRuntime {
  /** The function that is called; null where the whole source is run. */
  readonly function: string | null;
  /** Top-level modules that the source imports. */
  readonly modules: readonly string[];
  /** The generation of Letta's client that the source was written for: that of the client that sent it. */
  readonly clientGeneration: '0.1' | '1';
}

/** The language of a custom tool's source; `temporal`: it has none, and calls an activity of a user's own worker. */
export type SourceType = 'python' | 'typescript' | 'temporal';

const longestName = 48;

/** Why a tool can't have this name; undefined where it can. A sentence for the tool's author. */
export function nameFault(name: string): string | undefined {
  if (!/^[A-Za-z_][\w-]*$/.test(name)) {
    return `A tool can't be called '${name}'. Use letters, digits and underscores.`;
  }
  if (name.length <= longestName) return undefined;
  return `The name '${name}' has ${name.length} characters. Tools are called by models under at most ${longestName}: give the function a shorter name.`;
}

/** Packages that a tool's modules come from, where its author need not list them. */
const packagesOfModules: Readonly<Record<string, string>> = {
  letta_client: 'letta-client',
  pydantic: 'pydantic',
  requests: 'requests',
  httpx: 'httpx',
};

/** Letta's client as the source knows it: the newest of its generation. */
const lettaClients = { '0.1': '0.1.324', '1': '1.12.1' } as const;

/**
 * What pip must install for a tool, such as `requests==2.32.3`: what its author lists, and well-known modules that it
 * imports. Nothing where it needs the standard library alone.
 */
export function pythonPackages(
  runtime: Partial<ToolRuntime>,
  requirements: readonly ToolRequirement[],
): readonly string[] {
  const listed = requirements.map(({ name, version }) =>
    version === undefined ? name : `${name}==${version}`,
  );
  const names = new Set(requirements.map(({ name }) => name.toLowerCase().replaceAll('_', '-')));
  const implied = (runtime.modules ?? [])
    .map((module) => packagesOfModules[module])
    .filter((name) => name !== undefined && !names.has(name))
    .map((name) =>
      name === 'letta-client' ? `${name}==${lettaClients[runtime.clientGeneration ?? '0.1']}` : name,
    );
  return [...listed, ...implied.filter((name) => name !== undefined)];
}
