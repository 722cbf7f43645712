import type { Agent } from './agents.js';

/** The variables that a user gave an agent for its tools; secrets are variables like any other to a tool. */
export function agentVariables({ extras }: Pick<Agent, 'extras'>): Readonly<Record<string, string>> {
  return { ...textsOf(extras['tool_exec_environment_variables']), ...textsOf(extras['secrets']) };
}

const variableName = /^[A-Za-z_]\w*$/;

function textsOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && variableName.test(entry[0]),
    ),
  );
}
