import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ToolRunner } from '../adapters/custom-tools/tool-runner.js';
import type { Embeddings } from '../adapters/embeddings/embedder.js';
import type { McpServers } from '../adapters/mcp/mcp-server.js';
import type { Models } from '../adapters/models/model.js';
import type { Schedules } from '../client/schedules.js';
import type { SleepTime } from '../client/sleep-time.js';
import type { Blocks } from '../client/blocks.js';
import type { Talks, Turns } from '../client/types.js';
import type { Ingestions } from '../client/ingestions.js';
import type { ExtensionDescription } from '../core/extensions/extension.js';
import type { Prices } from '../core/models/prices.js';
import type { Vault } from '../core/vault.js';
import type { ArchivalStore } from '../schema/archives/archival.js';
import type { Db } from '../schema/db/database.js';
import type { DatabaseProbe } from '../schema/db/probe.js';
import type { Vectors } from '../schema/archives/vectors.js';

/** What the routes depend on. */
export interface ServerDeps {
  readonly db: Db;
  /** Seals secrets on their way into rows, and opens them for tools and MCP servers. */
  readonly vault: Vault;
  /** Answers the health check. */
  readonly probe: DatabaseProbe;
  readonly turns: Turns;
  readonly talks: Talks;
  readonly sleepTime: SleepTime;
  readonly blocks: Blocks;
  readonly schedules: Schedules;
  readonly models: Models;
  readonly embeddings: Embeddings;
  readonly archival: ArchivalStore;
  /** Runs custom tools in a sandbox, for runs that are requested over REST. */
  readonly tools: ToolRunner;
  readonly ingestions: Ingestions;
  readonly mcp: McpServers;
  /** The extensions that users have loaded. */
  readonly extensions: readonly ExtensionDescription[];
  /** How vectors are searched in this database. */
  readonly vectors: Vectors;
  readonly settings: ServerSettings;
}

/** Settings of the server. */
export interface ServerSettings {
  /** The model of new agents that name none. */
  readonly model?: string | undefined;
  /** Required from every request but those for health and documentation. */
  readonly password?: string | undefined;
  /** Hosts that browsers may name, and whose pages may send requests, besides the machine's own names and addresses. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Whether MCP servers that run a command on this machine may be registered. Default false. */
  readonly mcpCommands?: boolean | undefined;
  /** The version that `/v1/health` reports. Default: the package's. */
  readonly version?: string | undefined;
  /** How long a stream may be silent before it gets a keep-alive, in ms. Default 20,000. */
  readonly keepAliveMs?: number | undefined;
  /** False where anyone can reach the server: then no client may register commands to run on its machine. Default true. */
  readonly allowsCommands?: boolean | undefined;
  /** True: workers run custom tools isolated or not at all, so strangers may send them. Default false. */
  readonly toolsAreIsolated?: boolean | undefined;
  /** The lowest level that is logged; absent: nothing is logged. */
  readonly logLevel?: string | undefined;
  /** The largest body, in bytes. Default 16 MiB. */
  readonly bodyLimit?: number | undefined;
  /** Temporal's web page and the namespace of the turns' executions. */
  readonly temporal?: { readonly namespace: string; readonly ui?: string | undefined } | undefined;
  /** The largest uploaded file, in MB. Default 50. */
  readonly fileLimitMb?: number | undefined;
  /** What models cost. Absent: costs are not known. */
  readonly prices?: Prices | undefined;
}

/** The Fastify application; zod schemas type its routes. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;
