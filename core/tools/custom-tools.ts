/** A package that a tool's source imports, with its exact version if one is given. */
export interface ToolRequirement {
  readonly name: string;
  readonly version?: string;
}

/** What was read from a custom tool's source at its creation, and is needed to run it. */
export interface ToolRuntime {
  /** The function to call; null: run the whole source. */
  readonly function: string | null;
  /** Top-level modules that the source imports. */
  readonly modules: readonly string[];
  /** The generation of the client that sent the source, which the source imports. */
  readonly clientGeneration: '0.1' | '1';
}

/**
 * The language of a custom tool's source. `temporal`: no source; the tool calls an activity of a user's own worker.
 */
export type SourceType = 'python' | 'typescript' | 'temporal';

const longestName = 48;

/** Why a tool can't have this name, as a sentence for the tool's author; undefined where it can. */
export function nameFault(name: string): string | undefined {
  if (!/^[A-Za-z_][\w-]*$/.test(name)) {
    return `A tool can't be called '${name}'. Use letters, digits and underscores.`;
  }
  if (name.length <= longestName) return undefined;
  return `The name '${name}' has ${name.length} characters, but models accept at most ${longestName}. Give the function a shorter name.`;
}

/** Packages of well-known modules. A tool's author need not list them. */
const packagesOfModules: Readonly<Record<string, string>> = {
  letta_client: 'letta-client',
  pydantic: 'pydantic',
  requests: 'requests',
  httpx: 'httpx',
};

/** Versions of Letta's client for tools: the newest of each generation. */
const lettaClients = { '0.1': '0.1.324', '1': '1.12.1' } as const;

/**
 * What pip must install for a tool, such as `requests==2.32.3`: what its author lists, and well-known modules that it
 * imports. Empty where it needs the standard library alone.
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
