import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { ToolSchema } from '../../core/turns/model.js';

const ajv = new Ajv({ coerceTypes: true, useDefaults: true, strict: false, allErrors: true });
const compiled = new WeakMap<object, ValidateFunction>();
const byText = new Map<string, ValidateFunction>();

/**
 * Checks a call's arguments against its tool's schema; types that only need a cast are cast in place, defaults are
 * filled in. Undefined where they fit, else a sentence for the model that names each fault.
 */
export function argumentFault(schema: ToolSchema, args: Record<string, unknown>): string | undefined {
  const validate = validatorOf(schema);
  if (validate(args)) return undefined;
  const faults = (validate.errors ?? []).map(describe).join('; ');
  return `The arguments of ${schema.name} don't fit its schema, so it was not run: ${faults}. Call it again, corrected.`;
}

function validatorOf({ parameters }: ToolSchema): ValidateFunction {
  const known = compiled.get(parameters);
  if (known !== undefined) return known;
  const text = JSON.stringify(parameters);
  const validate = byText.get(text) ?? ajv.compile(parameters);
  byText.set(text, validate);
  compiled.set(parameters, validate);
  return validate;
}

function describe(error: ErrorObject): string {
  const where = error.instancePath === '' ? '' : `${error.instancePath.slice(1)} `;
  return `${where}${error.message ?? error.keyword}`;
}
