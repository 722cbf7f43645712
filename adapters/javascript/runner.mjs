// Runs one function of a tool's source, or a piece of code, within a sandbox. Its input and output are described in
// `adapters/python/runner/main.py`; `function` is null to run the whole source. The program that starts it sets its
// limits.

import { closeSync, readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import { inspect } from 'node:util';
import { Script } from 'node:vm';

const answerDescriptor = 3;
const apiPort = 8283;
const longestValue = 4_000_000;

const asked = JSON.parse(readFileSync(0, 'utf8'));
Object.assign(process.env, asked.environment);
if (asked.api?.socket !== undefined) await relayConnections(asked.api.socket);
process.env.LETTA_BASE_URL ??=
  asked.api?.port === undefined ? `http://localhost:${apiPort}` : `http://127.0.0.1:${asked.api.port}`;

try {
  const value = asked.function === null ? await runAll(asked.source) : await callFunction(asked);
  answer({ ok: true, value: toText(value).slice(0, longestValue), blocks: {} });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : inspect(error)}\n`);
  answer({ ok: false, error: toError(error).slice(0, longestValue), blocks: {} });
}

function answer(content) {
  const bytes = Buffer.from(JSON.stringify(content));
  for (let written = 0; written < bytes.length;) written += writeSync(answerDescriptor, bytes, written);
  closeSync(answerDescriptor);
  // Waits for the tool's output, but not for what it left running.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(0)));
}

async function callFunction({ source, function: name, arguments: args, agent, parameters }) {
  const module = await load(`${source}\n;export { ${name} as __perdure_tool };`);
  const call = module.__perdure_tool;
  if (typeof call !== 'function') throw new TypeError(`the source defines no function '${name}'`);
  if (agent !== null) globalThis.agent_state = agent;
  return takesObject(call, parameters) ? call(args) : call(...parameters.map((key) => args[key]));
}

/** Whether the function takes one object with all arguments, or each by itself in the order of the schema. */
function takesObject(call, parameters) {
  const isDestructured = /^[^(]*\(\s*\{/.test(Function.prototype.toString.call(call));
  return isDestructured || (call.length === 1 && parameters.length > 1);
}

/** The value of a script's last expression; of a module's, where it has imports or top-level awaits. */
async function runAll(source) {
  globalThis.require = createRequire('/tmp/');
  let script;
  try {
    script = new Script(source, { filename: 'code.js' });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    await load(source);
    return undefined;
  }
  return script.runInThisContext();
}

function load(source) {
  return import(`data:text/javascript;base64,${Buffer.from(source).toString('base64')}`);
}

function toText(value) {
  if (typeof value === 'string') return value;
  if (value === undefined) return asked.function === null ? '' : 'None';
  if (value === null) return 'None';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function toError(error) {
  return error instanceof Error ? `${error.name}: ${error.message}` : `Error: ${inspect(error)}`;
}

/** The sandbox has a network of its own: connections to the server's port are passed to the socket. */
function relayConnections(path) {
  const server = createServer((near) => {
    const far = connect(path);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(apiPort, '127.0.0.1', resolve);
  });
}
