import { Client, Connection } from '@temporalio/client';
import { type Endpoints, resolveEndpoints } from '../adapters/settings/endpoints.js';
import { readSecretKeys } from '../adapters/settings/secret-keys.js';
import { loadEnvironment, readSettings, type Settings } from '../adapters/settings/settings.js';
import { toConnectionOptions } from '../adapters/settings/temporal-connection.js';
import type { Vault } from '../core/vault.js';
import { checkConnections } from '../schema/db/connection-check.js';
import { type Database, type Db, openDatabase } from '../schema/db/database.js';
import { checkBinding } from '../schema/db/runtime-binding.js';
import { createVault } from '../schema/db/vault.js';
import { type Agents, createAgents } from './agents.js';
import { type Bell, createBell } from './bell.js';
import { createBlockListener } from './block-listener.js';
import { type Blocks, createBlocks } from './blocks.js';
import { createPartnerBell, type PartnerBell } from './partner-bell.js';
import { createScheduleSync, type ScheduleSync } from './schedule-sync.js';
import { createSchedules, type Schedules } from './schedules.js';
import { createSleepTime, type SleepTime } from './sleep-time.js';
import { createIngestions, type Ingestions } from './ingestions.js';
import { createReports, type Reports } from './reports.js';
import { createTurnListener } from './turn-listener.js';
import { createTurns } from './turns.js';
import { createTalks } from './talks.js';
import type { Talks, Turns } from './types.js';

/** A connection to perdure: its database and its Temporal. */
export interface Perdure {
  readonly agents: Agents;
  readonly blocks: Blocks;
  readonly turns: Turns;
  readonly talks: Talks;
  readonly sleepTime: SleepTime;
  readonly schedules: Schedules;
  readonly db: Db;
  readonly database: Database;
  readonly bell: Bell;
  readonly partners: PartnerBell;
  readonly ingestions: Ingestions;
  readonly reports: Reports;
  readonly scheduleSync: ScheduleSync;
  readonly temporal: Client;
  readonly endpoints: Endpoints;
  /** Seals and opens the database's secrets, if this process has the key. */
  readonly vault: Vault;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Default: read from the environment and `.env`. */
  readonly settings?: Settings;
  readonly onRingFailed?: (error: unknown) => void;
}

/**
 * Connects to the stack that `DATABASE_URL` and `TEMPORAL_ADDRESS` name, else to the one that runs on this machine.
 * Throws SettingsError where there is neither, or where database and settings don't fit each other.
 */
export async function connect(options: ConnectOptions = {}): Promise<Perdure> {
  const settings = options.settings ?? readSettings(loadEnvironment());
  const endpoints = resolveEndpoints(settings);
  const connection = await Connection.connect(
    toConnectionOptions(settings.temporal, endpoints.temporalAddress),
  );
  const temporal = new Client({ connection, namespace: settings.temporal.namespace });
  const database = await openChecked(settings, endpoints).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  const vault = createVault(readSecretKeys(settings));
  const listener = createTurnListener(endpoints.databaseDirectUrl);
  const blockListener = createBlockListener(endpoints.databaseDirectUrl);
  const bell = createBell(temporal, settings.temporal.taskQueue);
  const partners = createPartnerBell(temporal, settings.temporal.taskQueue);
  const scheduleSync = createScheduleSync(database.db, temporal, settings.temporal.taskQueue);
  const { onRingFailed } = options;
  const turns = createTurns({
    db: database.db,
    bell,
    listener,
    ...(onRingFailed === undefined ? {} : { onRingFailed }),
  });
  const failed = onRingFailed === undefined ? {} : { onRingFailed };
  return {
    talks: createTalks({ db: database.db, bell, listener, turns, ...failed }),
    agents: createAgents(database.db, vault, {
      agentType: 'memgpt_agent',
      model: settings.model,
      embedding: settings.embedding,
    }),
    blocks: createBlocks({ db: database.db, listener: blockListener }),
    turns,
    sleepTime: createSleepTime({
      db: database.db,
      partners,
      ...(onRingFailed === undefined ? {} : { onWakeFailed: onRingFailed }),
    }),
    schedules: createSchedules({
      db: database.db,
      sync: scheduleSync,
      ...(onRingFailed === undefined ? {} : { onSyncFailed: onRingFailed }),
    }),
    db: database.db,
    database,
    bell,
    partners,
    ingestions: createIngestions(temporal, settings.temporal.taskQueue),
    reports: createReports(temporal, settings.temporal.taskQueue),
    scheduleSync,
    temporal,
    endpoints,
    vault,
    async close() {
      await listener.close();
      await blockListener.close();
      await database.close();
      await connection.close();
    },
  };
}

/** Opens the database and checks that it fits the settings. Throws SettingsError. */
async function openChecked(settings: Settings, endpoints: Endpoints): Promise<Database> {
  const { databaseUrl, databaseDirectUrl: directUrl } = endpoints;
  await checkConnections(endpoints, settings.databaseLimits);
  const database = openDatabase(databaseUrl, {
    connections: settings.databaseConnections,
    limits: settings.databaseLimits,
    directUrl,
  });
  try {
    await checkBinding(database.db, settings.temporal);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
