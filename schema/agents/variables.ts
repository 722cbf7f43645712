import type { Agent } from '../../core/agents/agents.js';
import { isSealed, mask, type Vault } from '../../core/vault.js';
import { UnfitError } from '../db/errors.js';

type Extras = Readonly<Record<string, unknown>>;

/** The fields of an agent's extras that hold variables. */
export const variableFields = ['tool_exec_environment_variables', 'secrets'] as const;

/** A mask was sent for a variable that has no stored value. */
export class MaskedValueError extends UnfitError {
  readonly variable: string;

  constructor(variable: string) {
    super(`${variable}: ${mask} keeps a stored value, but none is stored. Send the value itself.`);
    this.variable = variable;
  }
}

/** The variables that an agent's tools receive. Tools see secrets as variables like any other. Throws VaultError. */
export function agentVariables(agent: Pick<Agent, 'id' | 'extras'>, vault: Vault): Record<string, string> {
  const named = Object.entries(openVariables(agent, vault)).filter(([name]) => variableName.test(name));
  return Object.fromEntries(named);
}

const variableName = /^[A-Za-z_]\w*$/;

/**
 * Seals the variables in an agent's extras. A masked variable keeps the agent's value of that name, from whichever
 * field: clients see both fields as one list. Throws MaskedValueError, VaultError.
 */
export function sealVariables(
  vault: Vault,
  agentId: string,
  { extras, before = {} }: { readonly extras: Extras; readonly before?: Extras | undefined },
): Extras {
  const kept = (name: string): string => {
    const value = openVariables({ id: agentId, extras: before }, vault)[name];
    if (value === undefined) throw new MaskedValueError(name);
    return value;
  };
  return mapVariables(extras, (value, field, name) =>
    // An empty value needs no key.
    value === '' ? '' : vault.seal(value === mask ? kept(name) : value, placeOf(agentId, field, name)),
  );
}

/** Seals one agent's variables for another agent. Throws VaultError. */
export function resealVariables(
  vault: Vault,
  { from, to, extras }: { readonly from: string; readonly to: string; readonly extras: Extras },
): Extras {
  return mapVariables(extras, (value, field, name) =>
    value === '' ? '' : vault.seal(vault.open(value, placeOf(from, field, name)), placeOf(to, field, name)),
  );
}

/** An agent's variables by name, with a mask for each value. */
export function maskVariables(extras: Extras): Record<string, string> {
  return flat(mapVariables(extras, (value) => (value === '' ? '' : mask)));
}

/** Throws where a variable is not sealed, so that a bug of ours is found before the row is written. */
export function requireSealed(extras: Extras): void {
  mapVariables(extras, (value, field, name) => {
    if (value !== '' && !isSealed(value)) throw new Error(`${field}.${name} would be stored in the clear`);
    return value;
  });
}

/** Maps each variable with `change` and copies all else. */
export function mapVariables(
  extras: Extras,
  change: (value: string, field: string, name: string) => string,
): Extras {
  const changed = variableFields.flatMap((field) => {
    const values = extras[field];
    if (typeof values !== 'object' || values === null) return [];
    const entries = Object.entries(values).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'string' ? [[name, change(value, field, name)] as const] : [],
    );
    return [[field, Object.fromEntries(entries)] as const];
  });
  return { ...extras, ...Object.fromEntries(changed) };
}

/** The place that an agent's variable is sealed for. */
export function placeOf(agentId: string, field: string, name: string): string {
  return `${agentId} ${field} ${name}`;
}

function openVariables({ id, extras }: Pick<Agent, 'id' | 'extras'>, vault: Vault): Record<string, string> {
  return flat(
    mapVariables(extras, (value, field, name) =>
      value === '' ? '' : vault.open(value, placeOf(id, field, name)),
    ),
  );
}

function flat(extras: Extras): Record<string, string> {
  return Object.assign({}, ...variableFields.map((field) => extras[field])) as Record<string, string>;
}
