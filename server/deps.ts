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
import type { Vault } from '../core/vault.js';
import type { ArchivalStore } from '../schema/archives/archival.js';
import type { Db } from '../schema/db/database.js';
import type { DatabaseProbe } from '../schema/db/probe.js';
import type { Vectors } from '../schema/archives/vectors.js';

/** What the routes need of the world. */
export interface ServerDeps {
  readonly db: Db;
  /** Seals secrets on their way into rows, and opens them for tools and MCP servers. */
  readonly vault: Vault;
  /** Asked by whoever asks for the server's health. */
  readonly probe: DatabaseProbe;
  readonly turns: Turns;
  readonly talks: Talks;
  readonly sleepTime: SleepTime;
  readonly blocks: Blocks;
  readonly schedules: Schedules;
  readonly models: Models;
  readonly embeddings: Embeddings;
  readonly archival: ArchivalStore;
  /** Custom tools, within a sandbox: for runs that somebody asks for over REST. */
  readonly tools: ToolRunner;
  readonly ingestions: Ingestions;
  readonly mcp: McpServers;
  /** What users' own extensions have. */
  readonly extensions: readonly ExtensionDescription[];
  /** How vectors are searched in this database. */
  readonly vectors: Vectors;
  readonly settings: ServerSettings;
}

/** What can be set of a server. */
export interface ServerSettings {
  /** The model of new agents that name none. */
  readonly model?: string | undefined;
  /** Asked of every request but those for health and documentation. */
  readonly password?: string | undefined;
  /** Hosts, besides the machine's own names and addresses, that browsers may ask for and whose pages may ask. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Whether MCP servers may be registered that are commands of this machine. Default false. */
  readonly mcpCommands?: boolean | undefined;
  /** What `/v1/health` says; the package's own unless given. */
  readonly version?: string | undefined;
  /** How long a stream may be silent before it gets a keep-alive, in ms. Default 20,000. */
  readonly keepAliveMs?: number | undefined;
  /** False: whoever reaches the server may not register commands to run on its machine. Default true. */
  readonly allowsCommands?: boolean | undefined;
  /** True: workers run custom tools isolated or not at all, so that strangers may send them. Default false. */
  readonly toolsAreIsolated?: boolean | undefined;
  /** The least level that is logged; nothing is logged where absent. */
  readonly logLevel?: string | undefined;
  /** Bytes that a body may have. Default 16 MiB. */
  readonly bodyLimit?: number | undefined;
  /** What an uploaded file may have, in MB. Default 50. */
  readonly fileLimitMb?: number | undefined;
}

/** The application, whose routes are typed by their zod schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;
