import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { keepAliveTimeout } from './protocol.js';

type Ingestion = Pick<Activities, 'readFile' | 'embedChunks' | 'publishFile' | 'giveUpFile'>;

/**
 * The steps of an ingestion. Temporal retries each until six hours have gone: an embedding provider's outage is waited
 * out, and a file that can't be read has no failure but a verdict. `summary` is how it reads in the Temporal UI.
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
