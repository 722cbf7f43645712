import { z } from 'zod';
import {
  existingFile,
  flag,
  handle,
  hostAndPort,
  httpUrl,
  megabytes,
  milliseconds,
  names,
  port,
  postgresUrl,
  text,
} from './fields.js';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** How custom tools are kept from the machine (`adapters/sandbox`). */
export const sandboxModes = ['auto', 'strict', 'process'] as const;

/** Every variable that perdure reads, with its kind and its default. */
export const variables = z.object({
  PERDURE_HOME: text.optional(),
  PORT: port.default(8283),
  HOST: text.default('127.0.0.1'),
  LETTA_SERVER_PASSWORD: text.optional(),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_DIRECT_URL: postgresUrl.optional(),
  DATABASE_CONNECT_TIMEOUT_MS: milliseconds.default(10_000),
  DATABASE_STATEMENT_TIMEOUT_MS: milliseconds.default(30_000),
  DATABASE_LOCK_TIMEOUT_MS: milliseconds.default(12_000),
  DATABASE_IDLE_TIMEOUT_MS: milliseconds.default(10_000),
  TEMPORAL_ADDRESS: hostAndPort.optional(),
  TEMPORAL_NAMESPACE: text.default('default'),
  TEMPORAL_API_KEY: text.optional(),
  TEMPORAL_TLS: flag.optional(),
  TEMPORAL_TLS_CLIENT_CERT_PATH: existingFile.optional(),
  TEMPORAL_TLS_CLIENT_KEY_PATH: existingFile.optional(),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: existingFile.optional(),
  TEMPORAL_TLS_SERVER_NAME: text.optional(),
  TEMPORAL_CLI: existingFile.optional(),
  PERDURE_TASK_QUEUE: text.default('perdure'),
  OPENAI_API_KEY: text.optional(),
  OPENAI_BASE_URL: httpUrl.optional(),
  ANTHROPIC_API_KEY: text.optional(),
  ANTHROPIC_BASE_URL: httpUrl.optional(),
  GEMINI_API_KEY: text.optional(),
  GEMINI_BASE_URL: httpUrl.optional(),
  OPENROUTER_API_KEY: text.optional(),
  OPENROUTER_BASE_URL: httpUrl.optional(),
  OLLAMA_API_KEY: text.optional(),
  OLLAMA_BASE_URL: httpUrl.optional(),
  VLLM_API_KEY: text.optional(),
  VLLM_BASE_URL: httpUrl.optional(),
  LMSTUDIO_API_KEY: text.optional(),
  LMSTUDIO_BASE_URL: httpUrl.optional(),
  TAVILY_API_KEY: text.optional(),
  EXA_API_KEY: text.optional(),
  BRAVE_API_KEY: text.optional(),
  SEARXNG_URL: httpUrl.optional(),
  MODEL_TIMEOUT_MS: milliseconds.default(600_000),
  TOOL_TIMEOUT_MS: milliseconds.default(180_000),
  TOOL_SANDBOX: z.enum(sandboxModes, { error: `must be one of ${sandboxModes.join(', ')}` }).default('auto'),
  PERDURE_API_URL: httpUrl.optional(),
  PERDURE_EXTENSIONS: names.optional(),
  PERDURE_FILE_LIMIT_MB: megabytes.default(50),
  PERDURE_ARCHIVAL_STORE: text.optional(),
  PERDURE_CALLBACKS_TO_PRIVATE: flag.optional(),
  PERDURE_EMBEDDING: handle.default('perdure/use-lite'),
  PERDURE_MODEL: handle.optional(),
  LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('info'),
});

export type Variables = z.output<typeof variables>;
