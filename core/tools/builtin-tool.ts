import type { JsonSchemaObject, ToolSchema } from '../models/model.js';

/** A tool of the runtime. This is its description; an activity implements it. */
export interface BuiltinTool extends ToolSchema {
  readonly toolType:
    | 'letta_core'
    | 'letta_memory_core'
    | 'letta_sleeptime_core'
    | 'letta_voice_sleeptime_core'
    | 'letta_multi_agent_core'
    | 'letta_files_core'
    | 'letta_builtin';
  readonly tags: readonly string[];
  /**
   * What it does, which decides how the workflow runs it. `pure`: nothing. `transactional`: it only changes rows, which
   * commit with its result. `editing`: the same, and the rows are core memory. `searching`: it waits for something outside
   * of the database, such as an embedding, the web or a program. `asking`: it gives other agents turns and waits for their
   * answers. Implementations of the first three are of kind `transactional`.
   */
  readonly effect: 'pure' | 'transactional' | 'editing' | 'searching' | 'asking';
  /** Whether the turn ends after it, unless the agent's rules say otherwise. */
  readonly terminal?: boolean;
  /** Other names of its parameters, from older programs and models, each with its current name. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** The schema of an object with these properties. All are required except the named ones. */
export function parameters(
  properties: JsonSchemaObject['properties'],
  optional: readonly string[] = [],
): JsonSchemaObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}
