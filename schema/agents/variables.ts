import type { Agent } from '../../core/agents/agents.js';
import { isSealed, mask, type Vault } from '../../core/vault.js';
import { UnfitError } from '../db/errors.js';

type Extras = Readonly<Record<string, unknown>>;

/** Where an agent's variables are kept, among its extras. */
export const variableFields = ['tool_exec_environment_variables', 'secrets'] as const;

/** A mask was sent where nothing is kept that it could stand for. */
export class MaskedValueError extends UnfitError {
  readonly variable: string;

  constructor(variable: string) {
    super(
      `${variable}: ${mask} stands for a value that is kept, and none is kept here. Send the value itself.`,
    );
    this.variable = variable;
  }
}

/** The variables that a user gave an agent for its tools; secrets are variables like any other to a tool. Throws VaultError. */
export function agentVariables(agent: Pick<Agent, 'id' | 'extras'>, vault: Vault): Record<string, string> {
  const named = Object.entries(openVariables(agent, vault)).filter(([name]) => variableName.test(name));
  return Object.fromEntries(named);
}

const variableName = /^[A-Za-z_]\w*$/;

/**
 * Extras with their variables sealed for this agent. A masked one is the value that the agent has by that name, in whichever
 * field: both are shown as one list. Throws MaskedValueError, VaultError.
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
    // Where there is nothing to hide, no key is needed.
    value === '' ? '' : vault.seal(value === mask ? kept(name) : value, placeOf(agentId, field, name)),
  );
}

/** Sealed extras of one agent as another's. Throws VaultError. */
export function resealVariables(
  vault: Vault,
  { from, to, extras }: { readonly from: string; readonly to: string; readonly extras: Extras },
): Extras {
  return mapVariables(extras, (value, field, name) =>
    value === '' ? '' : vault.seal(vault.open(value, placeOf(from, field, name)), placeOf(to, field, name)),
  );
}

/** Names of an agent's variables, each with a mask where it has a value. */
export function maskVariables(extras: Extras): Record<string, string> {
  return flat(mapVariables(extras, (value) => (value === '' ? '' : mask)));
}

/** Throws where a variable is not sealed: a fault of ours, found before it is written. */
export function requireSealed(extras: Extras): void {
  mapVariables(extras, (value, field, name) => {
    if (value !== '' && !isSealed(value)) throw new Error(`${field}.${name} would be stored in the clear`);
    return value;
  });
}

/** Calls `change` for every variable; all else stays as it is. */
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

/** What an agent's variable is bound to. */
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
