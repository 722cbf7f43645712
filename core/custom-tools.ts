/** A package of a language's registry that a tool's source imports, with its exact version where one is given. */
export interface ToolRequirement {
  readonly name: string;
  readonly version?: string;
}

/** What was read from a custom tool's source when it was created: all that running it needs beside the source. */
export interface ToolRuntime {
  /** The function that is called. */
  readonly function: string;
  /** Top-level modules that the source imports. */
  readonly modules: readonly string[];
  /** The generation of Letta's client that the source was written for: that of the client that sent it. */
  readonly clientGeneration: '0.1' | '1';
}

/** The language of a custom tool's source. */
export type SourceType = 'python' | 'typescript';

const longestName = 48;

/** Why a tool can't have this name; undefined where it can. A sentence for the tool's author. */
export function nameFault(name: string): string | undefined {
  if (!/^[A-Za-z_][\w-]*$/.test(name)) {
    return `A tool can't be called '${name}'. Use letters, digits and underscores.`;
  }
  if (name.length <= longestName) return undefined;
  return `The name '${name}' has ${name.length} characters. Tools are called by models under at most ${longestName}: give the function a shorter name.`;
}
