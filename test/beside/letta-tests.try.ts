import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packageFile } from '../../stack/processes.js';
import { type ModelServer, startModelServer } from '../support/model-server.js';
import { startTestStack, type TestStack } from '../support/stack.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';
import { type Outcome, sortOut, tableOf } from './letta-outcomes.js';
import { obedientModel } from './obedient-model.js';

/** The share of the tests that need nothing but a server which must pass: no test may be lost unseen. */
const wantedShare = 0.95;

const files = [
  'tests/test_sdk_client.py',
  'tests/integration_test_send_message_v2.py',
  'tests/integration_test_conversations_sdk.py',
  'tests/integration_test_human_in_the_loop.py',
  'tests/integration_test_client_side_tools.py',
  'tests/integration_test_multi_agent.py',
  'tests/integration_test_sleeptime_agent.py',
  'tests/test_sources.py',
];
/** They have a `conftest.py` of their own, and run in its folder. */
const sdkFiles = ['agents', 'blocks', 'mcp_servers', 'search', 'tools'].map((name) => `${name}_test.py`);

const repository = process.env['LETTA_REPOSITORY'];
/** What pytest says, as it says it. */
const logFile = packageFile('.cache/letta-tests.log');
/** More arguments for pytest, to run some of the tests alone: `-k deny`. */
const chosen = (process.env['LETTA_TESTS'] ?? '').split(' ').filter((one) => one !== '');

describe("the archived Letta server's own tests of its clients", () => {
  let stack: TestStack;
  let model: ModelServer;
  let outcomes: readonly Outcome[];

  beforeAll(async () => {
    if (repository === undefined || !existsSync(join(repository, files[0]!))) {
      throw new Error(
        'Set LETTA_REPOSITORY to a checkout of github.com/letta-ai/letta, branch archive: its tests are read from there.',
      );
    }
    const checkout = resolve(repository);
    await rm(logFile, { force: true });
    await promisify(execFile)('sh', [packageFile('test/beside/letta-tests.sh'), checkout]);
    model = await startModelServer(obedientModel);
    stack = await startTestStack(obedientModel, {
      OPENAI_BASE_URL: model.baseUrl,
      ANTHROPIC_BASE_URL: model.baseUrl,
      GEMINI_BASE_URL: model.baseUrl,
      PERDURE_MODEL: 'openai/gpt-4o-mini',
      PERDURE_MCP_COMMANDS: 'true',
    });
    outcomes = [
      ...(await runTests(checkout, files)),
      ...(await runTests(join(checkout, 'tests/sdk'), sdkFiles)),
    ];
  }, 3_600_000);

  afterAll(async () => {
    await stack.close();
    await model.close();
  });

  async function runTests(directory: string, chosenFiles: readonly string[]): Promise<readonly Outcome[]> {
    const home = makeTemporaryDirectory('letta-tests');
    const report = join(home, 'report.json');
    const python = packageFile('.cache/python/letta-tests/bin/python');
    const args = [
      ...['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--timeout=100'],
      ...['--json-report', `--json-report-file=${report}`, '--json-report-omit=log,streams,keywords'],
      ...chosen,
      ...chosenFiles,
    ];
    const env = {
      PATH: process.env['PATH'],
      HOME: home,
      LETTA_DIR: home,
      PYTHONPATH: resolve(repository!),
      PYTHONPYCACHEPREFIX: packageFile('.cache/python/letta-pycache'),
      LETTA_SERVER_URL: stack.url,
      LETTA_BASE_URL: stack.url,
      LETTA_API_KEY: 'none',
      LLM_CONFIG_FILE: 'openai-gpt-4o-mini.json',
    };
    // Its exit code says that tests failed; the report says which.
    const log = openSync(logFile, 'a');
    const running = spawn(python, args, { cwd: directory, env, stdio: ['ignore', log, log] });
    await once(running, 'exit');
    if (!existsSync(report)) throw new Error(`pytest wrote no report: see ${logFile}`);
    return sortOut(JSON.parse(await readFile(report, 'utf8')));
  }

  it('pass, but for those that are listed with a reason', () => {
    const { text, share, surprises } = tableOf(outcomes);
    process.stdout.write(`\n${text}\n`);

    expect(surprises).toEqual([]);
    expect(share).toBeGreaterThanOrEqual(wantedShare);
  });
});
