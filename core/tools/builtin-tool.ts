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
   * What a second run would do. `pure`: nothing. `transactional`: it only changes rows, which commit with its result.
   * `editing`: the same, and the rows are core memory. `searching`: like `transactional`, after work outside of the
   * database, such as an embedding. `asking`: it gives other agents turns and waits for their answers.
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
