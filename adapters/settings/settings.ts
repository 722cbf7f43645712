import type { z } from 'zod';
import { resolveHome } from './home.js';
import type { Prices } from '../../core/models/prices.js';
import type { SecretKey } from './secret-keys.js';
import { SettingsError, type SettingsProblem } from './settings-error.js';
import { variables, type logLevels, type sandboxModes, type Variables } from './variables.js';

export { loadEnvironment } from './environment.js';
export { SettingsError } from './settings-error.js';

/** The settings of a model provider. Without a required one, the provider is not configured. */
interface ProviderSettings {
  readonly apiKey?: string;
  /** Without a trailing slash. */
  readonly baseUrl?: string;
}

type ProviderName = 'openai' | 'anthropic' | 'gemini' | 'openrouter' | 'ollama' | 'vllm' | 'lmstudio';

/** How the connection to Temporal is encrypted. Paths are absolute. */
interface TemporalTls {
  readonly clientCertPath?: string;
  readonly clientKeyPath?: string;
  readonly serverCaCertPath?: string;
  readonly serverName?: string;
}

export interface TemporalSettings {
  /** host:port; unset: the embedded server. */
  readonly address?: string;
  readonly namespace: string;
  readonly apiKey?: string;
  /** Set for an encrypted connection. */
  readonly tls?: TemporalTls;
  /** The Temporal CLI for the embedded stack. */
  readonly cli?: string;
  /** Temporal's web page, without a trailing slash. Unset: that of the embedded server. */
  readonly uiUrl?: string;
  readonly taskQueue: string;
}

/** Settings of custom tools. */
interface ToolSettings {
  /** The time limit of one run. */
  readonly timeoutMs: number;
  readonly sandbox: (typeof sandboxModes)[number];
  /** The server's URL for tools and workers, without a trailing slash. */
  readonly apiUrl: string;
}

/** Search providers. The first configured one is used. */
interface WebSearchSettings {
  readonly tavilyKey?: string;
  readonly exaKey?: string;
  readonly braveKey?: string;
  /** Without a trailing slash. */
  readonly searxngUrl?: string;
}

/** Time limits of database connections (`schema/wait-limits`), in ms. */
interface DatabaseLimits {
  readonly connectMs: number;
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleTransactionMs: number;
}

/** Limits of a worker's concurrency. */
export interface WorkerLimits {
  /** Activities: this many local ones, and as many others. */
  readonly activities: number;
  readonly workflowTasks: number;
  /** Polls for work: this many for activities, and as many for workflow tasks. */
  readonly pollers: number;
}

/** All settings, checked. */
export interface Settings {
  /** The data directory of the embedded stack, absolute. */
  readonly home: string;
  /** The requested directory, where PostgreSQL's user could not enter it. */
  readonly homeInsteadOf?: string;
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly password?: string;
    /** Hosts that browsers may address, besides this machine's names and IP addresses. */
    readonly allowedHosts: readonly string[];
  };
  /** Seals secrets in the database. Unset: the key in the data directory, if any. */
  readonly secretKey?: SecretKey;
  /** Earlier keys, which can still open secrets. */
  readonly oldSecretKeys: readonly SecretKey[];
  /** Whether MCP servers may be commands on the machines of servers and workers. */
  readonly mcpCommands: boolean;
  /** Unset: the embedded server. */
  readonly databaseUrl?: string;
  /** The database server itself, if `databaseUrl` leads to a pooler. */
  readonly databaseDirectUrl?: string;
  readonly databaseLimits: DatabaseLimits;
  /** The most database connections of a process, besides those for notifications. */
  readonly databaseConnections: number;
  readonly temporal: TemporalSettings;
  readonly worker: WorkerLimits;
  /** How long the steps of finished turns are kept. Unset: forever. */
  readonly keepStepsDays?: number;
  readonly providers: Readonly<Record<ProviderName, ProviderSettings>>;
  readonly webSearch: WebSearchSettings;
  /** Users' own modules: paths and packages. */
  readonly extensions: readonly string[];
  /** Whether callbacks may go to addresses of private networks. */
  readonly callsBackPrivate: boolean;
  /** The limit of an uploaded file, in MB. */
  readonly fileLimitMb: number;
  /** The time from a model call's first attempt until it is given up. */
  readonly modelTimeoutMs: number;
  /** How long a model may send nothing, before and within its answer, in ms. */
  readonly modelSilence: { readonly firstByteMs: number; readonly betweenMs: number };
  readonly tools: ToolSettings;
  /** The module of a user's own archival store: a path or a package. */
  readonly archivalStore?: string;
  /** The default embedding model of new agents. */
  readonly embedding: string;
  /** The default model of new agents. */
  readonly model?: string;
  /** What models cost. */
  readonly prices?: Prices;
  readonly logLevel: (typeof logLevels)[number];
}

/**
 * Reads the settings from variables (see `loadEnvironment`). Throws one SettingsError that lists everything wrong.
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = variables.safeParse(set);
  const problems = parsed.success
    ? findContradictions(parsed.data)
    : parsed.error.issues.map((one) => toProblem(one, set));
  if (!parsed.success || problems.length > 0) throw new SettingsError(problems);
  return toSettings(parsed.data);
}

function toProblem(issue: z.core.$ZodIssue, env: NodeJS.ProcessEnv): SettingsProblem {
  const variable = String(issue.path[0]);
  const given = env[variable] ?? '';
  // A secret that was pasted into the wrong variable must not appear in a log.
  if (/SECRET_KEY/.test(variable)) return { variable, message: `${issue.message}.` };
  const shown =
    /KEY|PASSWORD|_URL$/.test(variable) && !variable.endsWith('_PATH') ? maskSecrets(given) : given;
  return { variable, message: `is '${shown}', but ${issue.message}.` };
}

function maskSecrets(value: string): string {
  return value.replace(/\/\/[^@/]*@/, '//***@');
}

function findContradictions(set: Variables): SettingsProblem[] {
  const problems: SettingsProblem[] = [];
  const pair = ['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH'] as const;
  for (const [one, other] of [pair, [pair[1], pair[0]] as const]) {
    if (set[one] === undefined && set[other] !== undefined) {
      problems.push({ variable: one, message: `is not set, but must be when ${other} is.` });
    }
  }
  if (set.PERDURE_SECRET_KEY_OLD !== undefined && set.PERDURE_SECRET_KEY === undefined) {
    problems.push({
      variable: 'PERDURE_SECRET_KEY',
      message: 'is not set, but must be when PERDURE_SECRET_KEY_OLD is.',
    });
  }
  if (set.DATABASE_DIRECT_URL !== undefined && set.DATABASE_URL === undefined) {
    problems.push({
      variable: 'DATABASE_URL',
      message: 'is not set, but must be when DATABASE_DIRECT_URL is.',
    });
  }
  const needless = Object.entries(set).filter(
    ([name, value]) => name.startsWith('TEMPORAL_TLS_') && value !== undefined,
  );
  if (set.TEMPORAL_TLS === false && needless.length > 0) {
    const names = needless.map(([name]) => name).join(', ');
    problems.push({ variable: 'TEMPORAL_TLS', message: `is false, but ${names} is set: unset one of them.` });
  }
  return problems;
}

function toSettings(set: Variables): Settings {
  const home = resolveHome(set.PERDURE_HOME);
  return {
    home: home.path,
    ...optional('homeInsteadOf', home.insteadOf),
    http: {
      host: set.HOST,
      port: set.PORT,
      ...optional('password', set.LETTA_SERVER_PASSWORD),
      allowedHosts: [
        ...(set.PERDURE_ALLOWED_HOSTS ?? []),
        set.HOST,
        // For workers.
        ...(set.PERDURE_API_URL === undefined ? [] : [new URL(set.PERDURE_API_URL).hostname]),
      ],
    },
    ...optional('secretKey', set.PERDURE_SECRET_KEY),
    oldSecretKeys: set.PERDURE_SECRET_KEY_OLD ?? [],
    mcpCommands: set.PERDURE_MCP_COMMANDS,
    ...optional('databaseUrl', set.DATABASE_URL),
    ...optional('databaseDirectUrl', set.DATABASE_DIRECT_URL),
    databaseLimits: {
      connectMs: set.DATABASE_CONNECT_TIMEOUT_MS,
      statementMs: set.DATABASE_STATEMENT_TIMEOUT_MS,
      lockMs: set.DATABASE_LOCK_TIMEOUT_MS,
      idleTransactionMs: set.DATABASE_IDLE_TIMEOUT_MS,
    },
    databaseConnections: set.PERDURE_DATABASE_CONNECTIONS,
    temporal: toTemporal(set),
    worker: {
      activities: set.PERDURE_WORKER_ACTIVITIES,
      workflowTasks: set.PERDURE_WORKER_WORKFLOW_TASKS,
      pollers: set.PERDURE_WORKER_POLLERS,
    },
    ...optional('keepStepsDays', set.PERDURE_KEEP_STEPS_DAYS),
    providers: {
      openai: toProvider(set.OPENAI_API_KEY, set.OPENAI_BASE_URL),
      anthropic: toProvider(set.ANTHROPIC_API_KEY, set.ANTHROPIC_BASE_URL),
      gemini: toProvider(set.GEMINI_API_KEY, set.GEMINI_BASE_URL),
      openrouter: toProvider(set.OPENROUTER_API_KEY, set.OPENROUTER_BASE_URL),
      ollama: toProvider(set.OLLAMA_API_KEY, set.OLLAMA_BASE_URL),
      vllm: toProvider(set.VLLM_API_KEY, set.VLLM_BASE_URL),
      lmstudio: toProvider(set.LMSTUDIO_API_KEY, set.LMSTUDIO_BASE_URL),
    },
    webSearch: {
      ...optional('tavilyKey', set.TAVILY_API_KEY),
      ...optional('exaKey', set.EXA_API_KEY),
      ...optional('braveKey', set.BRAVE_API_KEY),
      ...optional('searxngUrl', set.SEARXNG_URL),
    },
    extensions: set.PERDURE_EXTENSIONS ?? [],
    callsBackPrivate: set.PERDURE_CALLBACKS_TO_PRIVATE ?? false,
    fileLimitMb: set.PERDURE_FILE_LIMIT_MB,
    modelTimeoutMs: set.MODEL_TIMEOUT_MS,
    modelSilence: {
      firstByteMs: set.MODEL_FIRST_BYTE_TIMEOUT_MS,
      betweenMs: set.MODEL_SILENCE_TIMEOUT_MS,
    },
    tools: {
      timeoutMs: set.TOOL_TIMEOUT_MS,
      sandbox: set.TOOL_SANDBOX,
      apiUrl: set.PERDURE_API_URL ?? `http://${toAddress(set.HOST)}:${set.PORT}`,
    },
    ...optional('archivalStore', set.PERDURE_ARCHIVAL_STORE),
    embedding: set.PERDURE_EMBEDDING,
    ...optional('model', set.PERDURE_MODEL),
    ...optional('prices', set.PERDURE_PRICES),
    logLevel: set.LOG_LEVEL,
  };
}

/** A host to listen on, as a host to connect to. */
function toAddress(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function toTemporal(set: Variables): TemporalSettings {
  const tls: TemporalTls = {
    ...optional('clientCertPath', set.TEMPORAL_TLS_CLIENT_CERT_PATH),
    ...optional('clientKeyPath', set.TEMPORAL_TLS_CLIENT_KEY_PATH),
    ...optional('serverCaCertPath', set.TEMPORAL_TLS_SERVER_CA_CERT_PATH),
    ...optional('serverName', set.TEMPORAL_TLS_SERVER_NAME),
  };
  // The embedded server uses neither. Without an address, they are meant for another program.
  if (set.TEMPORAL_ADDRESS === undefined) {
    return {
      namespace: set.TEMPORAL_NAMESPACE,
      ...optional('cli', set.TEMPORAL_CLI),
      ...optional('uiUrl', set.TEMPORAL_UI_URL),
      taskQueue: set.PERDURE_TASK_QUEUE,
    };
  }
  // An API key must not be sent unencrypted.
  const encrypted = set.TEMPORAL_TLS ?? (set.TEMPORAL_API_KEY !== undefined || Object.keys(tls).length > 0);
  return {
    address: set.TEMPORAL_ADDRESS,
    namespace: set.TEMPORAL_NAMESPACE,
    ...optional('apiKey', set.TEMPORAL_API_KEY),
    ...(encrypted ? { tls } : {}),
    ...optional('cli', set.TEMPORAL_CLI),
    ...optional('uiUrl', set.TEMPORAL_UI_URL),
    taskQueue: set.PERDURE_TASK_QUEUE,
  };
}

function toProvider(apiKey: string | undefined, baseUrl: string | undefined): ProviderSettings {
  return { ...optional('apiKey', apiKey), ...optional('baseUrl', baseUrl) };
}

function optional<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, V>);
}
