// The thread that compiles strangers' schemas and checks arguments against them. A runaway pattern, reference or list
// ends with its thread.
// Plain JavaScript, because Node itself loads a worker thread's file.
import { parentPort } from 'node:worker_threads';
import { Ajv } from 'ajv';

/** The limit of cached schemas, in characters of their JSON. */
const mostKept = 2_000_000;
/** How much a schema's defaults may add to arguments, in characters. */
const mostAdded = 1_000_000;
/** The most faults to report. */
const mostNamed = 10;

const meta = new Ajv({ strict: false, validateFormats: false, logger: false });
/** By the schema's JSON, the least recently used first. */
const compiled = new Map();
let kept = 0;

parentPort.on('message', ({ schema, args }) => {
  parentPort.postMessage(answer(schema, args));
});
parentPort.postMessage({ kind: 'ready' });

function answer(schema, args) {
  let validate;
  try {
    validate = validatorOf(schema);
  } catch (error) {
    return { kind: 'unusable', fault: messageOf(error) };
  }
  if (args === undefined) return { kind: 'fits' };
  try {
    const value = JSON.parse(args);
    if (!validate(value)) return { kind: 'unfit', faults: validate.errors.slice(0, mostNamed).map(describe) };
    const text = JSON.stringify(value);
    if (text.length <= args.length + mostAdded) return { kind: 'fits', args: text };
    return { kind: 'unfit', faults: ['with the defaults of the schema they are too long'] };
  } catch (error) {
    return { kind: 'unfit', faults: [`they can't be checked (${messageOf(error)})`] };
  }
}

function validatorOf(text) {
  const known = compiled.get(text);
  compiled.delete(text);
  const validate = known ?? compile(JSON.parse(text));
  compiled.set(text, validate);
  if (known === undefined) kept += text.length;
  for (const [oldest] of compiled) {
    if (kept <= mostKept || oldest === text) break;
    compiled.delete(oldest);
    kept -= oldest.length;
  }
  return validate;
}

function compile({ $schema: _dialect, ...schema }) {
  // An asynchronous validator returns a promise, which is always truthy.
  if ('$async' in schema) throw new Error('$async is not served');
  if (!meta.validateSchema(schema)) throw new Error(meta.errorsText(meta.errors, { dataVar: 'schema' }));
  // One instance per schema, so that names within schemas can't clash.
  const ajv = new Ajv({
    ...{ strict: false, logger: false, allErrors: true },
    ...{ coerceTypes: true, useDefaults: true },
    // Compiles each reference once rather than inlining it.
    ...{ meta: false, validateSchema: false, inlineRefs: false },
  });
  return ajv.compile(schema);
}

function describe({ instancePath, message, keyword }) {
  const where = instancePath === '' ? '' : `${instancePath.slice(1, 200)} `;
  return `${where}${(message ?? keyword).slice(0, 300)}`;
}

function messageOf(error) {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}
