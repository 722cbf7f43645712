import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { keepAliveTimeout } from './protocol.js';

type Ingestion = Pick<Activities, 'readFile' | 'embedChunks' | 'publishFile' | 'giveUpFile'>;

/**
 * The stages of an ingestion. Temporal retries each for six hours, to wait out an outage of the embedding provider. A
 * file that can't be read is a verdict rather than a failure. `summary` is the text in the Temporal UI.
 */
export function ingesting(summary: string): Ingestion {
  return proxyActivities<Ingestion>({
    scheduleToCloseTimeout: '6h',
    startToCloseTimeout: '30m',
    heartbeatTimeout: keepAliveTimeout,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
    summary,
  });
}
