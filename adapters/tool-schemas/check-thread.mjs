// The thread in which strangers' schemas are compiled and arguments are checked against them: a pattern, a reference or a
// list that runs away is ended with its thread.
// Plain JavaScript, because a worker thread is loaded by Node itself.
import { parentPort } from 'node:worker_threads';
import { Ajv } from 'ajv';

/** What compiled schemas may have together, in characters of their JSON. */
const mostKept = 2_000_000;
/** How much longer arguments may become by a schema's defaults, in characters. */
const mostAdded = 1_000_000;
/** How many faults are named. */
const mostNamed = 10;

const meta = new Ajv({ strict: false, validateFormats: false, logger: false });
/** By the schema's JSON, the least used first. */
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
  // Its validator would answer with a promise, which is true whatever becomes of it.
  if ('$async' in schema) throw new Error('$async is not served');
  if (!meta.validateSchema(schema)) throw new Error(meta.errorsText(meta.errors, { dataVar: 'schema' }));
  // One for each schema: names that a schema gives itself, and what is compiled for it, are nobody else's.
  const ajv = new Ajv({
    ...{ strict: false, logger: false, allErrors: true },
    ...{ coerceTypes: true, useDefaults: true },
    // What is referred to is compiled once, and not again at each place.
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
