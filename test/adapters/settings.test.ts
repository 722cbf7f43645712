import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { canEnter } from '../../adapters/settings/database-user.js';
import {
  readStackFile,
  resolveDatabaseWays,
  resolveEndpoints,
  writeStackFile,
} from '../../adapters/settings/endpoints.js';
import { resolveHome } from '../../adapters/settings/home.js';
import { identifyProcess } from '../../adapters/settings/process-identity.js';
import {
  loadEnvironment,
  readSettings,
  SettingsError,
  type Settings,
} from '../../adapters/settings/settings.js';
import { toConnectionOptions } from '../../adapters/settings/temporal-connection.js';

const stranger = { name: 'stranger', uid: 54_321, gid: 54_321 };
const ourselves = { name: 'ourselves', uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'perdure-settings-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function refusalOf(env: NodeJS.ProcessEnv): SettingsError {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
  throw new Error('The settings were accepted.');
}

describe('readSettings', () => {
  it('[wire.browser] allows browsers to use the named hosts and the server’s own', () => {
    const { http } = readSettings({
      HOST: 'box',
      PERDURE_ALLOWED_HOSTS: 'agents.example.com, localhost:3000',
      PERDURE_API_URL: 'http://server:8283',
    });

    expect(http.allowedHosts).toEqual(['agents.example.com', 'localhost:3000', 'box', 'server']);
    expect(refusalOf({ PERDURE_ALLOWED_HOSTS: 'https://agents.example.com' }).problems).toMatchObject([
      { variable: 'PERDURE_ALLOWED_HOSTS' },
    ]);
  });

  it('[scale.limits] reads a worker’s concurrency limits and how long steps are kept', () => {
    expect(readSettings({})).toMatchObject({
      databaseConnections: 20,
      worker: { activities: 100, workflowTasks: 120, pollers: 10 },
    });
    expect(readSettings({}).keepStepsDays).toBeUndefined();
    const set = {
      PERDURE_DATABASE_CONNECTIONS: '40',
      PERDURE_WORKER_ACTIVITIES: '300',
      PERDURE_WORKER_WORKFLOW_TASKS: '200',
      PERDURE_WORKER_POLLERS: '30',
      PERDURE_KEEP_STEPS_DAYS: '90',
    };
    expect(readSettings(set)).toMatchObject({
      databaseConnections: 40,
      worker: { activities: 300, workflowTasks: 200, pollers: 30 },
      keepStepsDays: 90,
    });
    const refused = refusalOf(Object.fromEntries(Object.keys(set).map((name) => [name, '0'])));
    expect(refused.problems.map(({ variable }) => variable).sort()).toEqual(Object.keys(set).sort());
  });

  it('[cli.cost] reads prices from a file or JSON, and refuses incomplete or invalid ones', () => {
    const price = { input: 0.15, cached_input: 0.075, output: 0.6 };
    const json = JSON.stringify({ 'openai/small': price });
    const file = join(directory, 'prices.json');
    writeFileSync(file, json);
    const refuse = (given: string): string => refusalOf({ PERDURE_PRICES: given }).problems[0]?.message ?? '';

    const read = [json, file].map((given) => readSettings({ PERDURE_PRICES: given }).prices);

    const prices = { 'openai/small': { input: 0.15, cachedInput: 0.075, output: 0.6 } };
    expect(read).toEqual([prices, prices]);
    expect(readSettings({}).prices).toBeUndefined();
    expect(refuse('{"openai/small": {"input": 1, "output": 2}}')).toContain('(openai/small: cached_input: ');
    expect(refuse('{"small": {"input": 1, "cached_input": 1, "output": 2}}')).toContain(
      'a model must be a handle',
    );
    expect(refuse('{"openai/small": {"input": -1, "cached_input": 1, "output": 2}}')).toContain(
      'openai/small: input: ',
    );
    expect(refuse(join(directory, 'nothing.json'))).toContain('must be a JSON file');
  });

  it('[stack.settings] has a default for everything except keys and addresses', () => {
    const { home, ...settings } = readSettings({});

    expect(home).not.toBe('');
    expect(settings).toMatchObject({
      http: { host: '127.0.0.1', port: 8283 },
      temporal: { namespace: 'default', taskQueue: 'perdure' },
      providers: {
        openai: {},
        anthropic: {},
        gemini: {},
        openrouter: {},
        ollama: {},
        vllm: {},
        lmstudio: {},
      },
      extensions: [],
      modelTimeoutMs: 600_000,
      tools: { timeoutMs: 180_000, sandbox: 'auto', apiUrl: 'http://127.0.0.1:8283' },
      embedding: 'perdure/use-lite',
      logLevel: 'info',
    });
    expect(settings.databaseUrl).toBeUndefined();
    expect(settings.model).toBeUndefined();
  });

  it('reads what is set and treats an empty variable as unset', () => {
    const settings = readSettings({
      PERDURE_HOME: directory,
      PORT: '0',
      DATABASE_URL: 'postgres://u:p@db:5432/agents',
      OPENAI_API_KEY: 'sk-1',
      OPENAI_BASE_URL: 'http://localhost:9/v1/',
      OLLAMA_BASE_URL: '',
      LETTA_SERVER_PASSWORD: '',
    });

    expect(settings.home).toBe(directory);
    expect(settings.http).toEqual({ host: '127.0.0.1', port: 0, allowedHosts: ['127.0.0.1'] });
    expect(settings.databaseUrl).toBe('postgres://u:p@db:5432/agents');
    expect(settings.providers.openai).toEqual({ apiKey: 'sk-1', baseUrl: 'http://localhost:9/v1' });
    expect(settings.providers.ollama).toEqual({});
  });

  it('[stack.settings-checked] lists every problem in one message, and shows no password', () => {
    const error = refusalOf({
      PORT: '99999',
      DATABASE_URL: 'mysql://me:hunter2@db/agents',
      TEMPORAL_ADDRESS: 'http://temporal:7233',
      TEMPORAL_TLS: 'perhaps',
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(directory, 'missing.pem'),
      VLLM_BASE_URL: 'localhost',
      MODEL_TIMEOUT_MS: '5',
      LOG_LEVEL: 'loud',
    });

    expect(error.message.replaceAll(directory, '<dir>')).toMatchInlineSnapshot(`
     "The settings cannot be used (environment, or .env in this directory):
       PORT is '99999', but must be a number from 0 to 65535.
       DATABASE_URL is 'mysql://***@db/agents', but must be a URL such as postgres://user:password@host:5432/database.
       TEMPORAL_ADDRESS is 'http://temporal:7233', but must be host:port without a protocol, such as localhost:7233.
       TEMPORAL_TLS is 'perhaps', but must be true or false.
       TEMPORAL_TLS_SERVER_CA_CERT_PATH is '<dir>/missing.pem', but must name a file that exists.
       VLLM_BASE_URL is 'localhost', but must be a URL such as http://localhost:11434/v1.
       MODEL_TIMEOUT_MS is '5', but must be at least 1000 (milliseconds).
       LOG_LEVEL is 'loud', but must be one of fatal, error, warn, info, debug, trace, silent."
    `);
    expect(error.problems).toHaveLength(8);
  });

  it.each([
    [{ TEMPORAL_TLS_CLIENT_CERT_PATH: 'package.json' }, ['TEMPORAL_TLS_CLIENT_KEY_PATH']],
    [{ TEMPORAL_TLS_CLIENT_KEY_PATH: 'package.json' }, ['TEMPORAL_TLS_CLIENT_CERT_PATH']],
    [{ TEMPORAL_TLS: 'false', TEMPORAL_TLS_SERVER_NAME: 'a.example' }, ['TEMPORAL_TLS']],
  ])('refuses contradictory settings: %j', (env, variables) => {
    expect(refusalOf(env).problems.map(({ variable }) => variable)).toEqual(variables);
  });

  it.each([
    [{ TEMPORAL_API_KEY: 'k' }, true],
    [{ TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'false' }, undefined],
    [{ TEMPORAL_TLS: '1' }, true],
    [{ TEMPORAL_TLS_SERVER_NAME: 'a.example' }, { serverNameOverride: 'a.example' }],
    [{}, undefined],
  ])('[stack.tls] chooses TLS for the connection to Temporal with %j', (env, tls) => {
    const { temporal } = readSettings({ ...env, TEMPORAL_ADDRESS: 'temporal:7233' });

    expect(toConnectionOptions(temporal, 'temporal:7233').tls).toEqual(tls);
  });

  it('[stack.tls] passes the certificates of both sides to the connection', () => {
    const file = (name: string): string => {
      writeFileSync(join(directory, name), name);
      return join(directory, name);
    };

    const { temporal } = readSettings({
      TEMPORAL_ADDRESS: 'temporal:7233',
      TEMPORAL_TLS_CLIENT_CERT_PATH: file('crt'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: file('key'),
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('ca'),
    });

    expect(toConnectionOptions(temporal, 'temporal:7233')).toEqual({
      address: 'temporal:7233',
      tls: {
        serverRootCACertificate: Buffer.from('ca'),
        clientCertPair: { crt: Buffer.from('crt'), key: Buffer.from('key') },
      },
    });
  });

  it('keeps the credentials of an external Temporal from the embedded one', () => {
    const { temporal } = readSettings({ TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'true' });

    expect(temporal).toEqual({ namespace: 'default', taskQueue: 'perdure' });
  });
});

describe('[stack.settings] loadEnvironment', () => {
  it('takes from .env what the environment lacks, and treats an empty variable as unset', () => {
    writeFileSync(
      join(directory, '.env'),
      'PORT=1\nHOST="0.0.0.0"\n# a comment\nLOG_LEVEL=debug\nPERDURE_MODEL=\n',
    );

    const env = loadEnvironment({ PORT: '2', LOG_LEVEL: '' }, directory);

    expect(env).toEqual({ PORT: '2', HOST: '0.0.0.0' });
  });

  it('works without .env', () => {
    expect(loadEnvironment({ PORT: '2' }, directory)).toEqual({ PORT: '2' });
  });
});

describe('the data directory', () => {
  it('is the requested one, with ~ for the home directory', () => {
    expect(resolveHome('~/agents', ourselves)).toEqual({ path: join(homedir(), 'agents') });
    expect(resolveHome(undefined, ourselves)).toEqual({ path: join(homedir(), '.perdure') });
  });

  it('moves elsewhere if the PostgreSQL user cannot enter it, always to the same place', () => {
    chmodSync(directory, 0o700);
    const [one, other] = [join(directory, 'one'), join(directory, 'other')];

    const home = resolveHome(one, stranger);

    expect(home).toEqual({
      path: expect.stringMatching(/^\/var\/lib\/perdure-[0-9a-f]{8}$/),
      insteadOf: one,
    });
    expect(resolveHome(one, stranger)).toEqual(home);
    expect(resolveHome(other, stranger).path).not.toBe(home.path);
  });

  it('may itself be closed, because we own it', () => {
    chmodSync(directory, 0o700);

    expect(resolveHome(directory, stranger)).toEqual({ path: directory });
  });

  it('is reachable if each directory above it is, even before it exists', () => {
    chmodSync(directory, 0o711);
    mkdirSync(join(directory, 'closed'), { mode: 0o700 });

    expect(canEnter(join(directory, 'new', 'deep'), stranger)).toBe(true);
    expect(canEnter(join(directory, 'closed', 'deep'), stranger)).toBe(false);
  });
});

describe('resolveEndpoints', () => {
  const settings = (env: NodeJS.ProcessEnv = {}): Settings =>
    readSettings({ PERDURE_HOME: directory, ...env });
  const running = {
    pid: process.pid,
    identity: identifyProcess(process.pid) ?? '',
    databaseUrl: 'postgres://perdure:p@127.0.0.1:5/perdure',
    temporalAddress: '127.0.0.1:7',
    temporalUi: 'http://127.0.0.1:8',
    api: 'http://127.0.0.1:9',
    namespace: 'default',
  };

  it('prefers settings to the running stack', () => {
    writeStackFile(directory, running);

    expect(resolveEndpoints(settings())).toEqual({
      databaseUrl: running.databaseUrl,
      databaseDirectUrl: running.databaseUrl,
      temporalAddress: running.temporalAddress,
      api: running.api,
      temporalUi: running.temporalUi,
    });
    expect(resolveEndpoints(settings({ TEMPORAL_ADDRESS: 'elsewhere:7233' }))).toMatchObject({
      databaseUrl: running.databaseUrl,
      temporalAddress: 'elsewhere:7233',
    });
  });

  it.each([
    ['another process has its id now', { ...running, identity: 'an earlier process' }],
    ['its process is gone', { ...running, pid: 2 ** 22 + 1 }],
  ])('ignores the stack file when %s', (_why, content) => {
    writeStackFile(directory, content);

    expect(readStackFile(directory)).toBeUndefined();
    expect(() => resolveDatabaseWays(settings())).toThrow(SettingsError);
  });

  it('names what is missing and what to do', () => {
    expect(() => resolveEndpoints(settings({ DATABASE_URL: 'postgres://db/agents' }))).toThrow(
      /^[^\n]*\n {2}TEMPORAL_ADDRESS is not set, and no stack runs on .*\. Start the stack with npm start, or set/,
    );
    expect(resolveDatabaseWays(settings({ DATABASE_URL: 'postgres://db/agents' }))).toEqual({
      databaseUrl: 'postgres://db/agents',
      databaseDirectUrl: 'postgres://db/agents',
    });
  });

  it('[waits.direct] knows the server behind a pooler', () => {
    const urls = { DATABASE_URL: 'postgres://pooler/agents', DATABASE_DIRECT_URL: 'postgres://db/agents' };
    const behind = settings({ ...urls, TEMPORAL_ADDRESS: 'elsewhere:7233' });

    expect(resolveDatabaseWays(behind).databaseDirectUrl).toBe('postgres://db/agents');
    expect(resolveEndpoints(behind)).toMatchObject({
      databaseUrl: 'postgres://pooler/agents',
      databaseDirectUrl: 'postgres://db/agents',
    });
    writeStackFile(directory, { ...running, databaseDirectUrl: 'postgres://db/behind' });
    expect(resolveDatabaseWays(settings()).databaseDirectUrl).toBe('postgres://db/behind');
    expect(() => settings({ DATABASE_DIRECT_URL: 'postgres://db/agents' })).toThrow(
      /DATABASE_URL is not set, but must be when DATABASE_DIRECT_URL is\./,
    );
  });
});
