import type { JsonSchemaObject, ToolSchema } from '../turns/model.js';

/** A tool that the runtime brings along. What it does is an activity's; what it looks like is here. */
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
   * What running it twice would do. `pure`: nothing at all. `transactional`: it changes rows only, and they commit
   * with its result. `editing`: like that, and the rows are core memory. `searching`: like `transactional`, but it needs
   * the world first, as an embedder or another agent's thread. `asking`: it gives other agents turns, and waits until
   * they have answered.
   */
  readonly effect: 'pure' | 'transactional' | 'editing' | 'searching' | 'asking';
  /** The turn ends after it unless the agent's rules say otherwise. */
  readonly terminal?: boolean;
  /** Other names of its parameters, which older programs and models use, each with the name it stands for. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** The schema of an object with these properties, all required but the named ones. */
export function parameters(
  properties: JsonSchemaObject['properties'],
  optional: readonly string[] = [],
): JsonSchemaObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}
