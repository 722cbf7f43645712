import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { keepAliveTimeout, type ReportTurnInput } from './protocol.js';

// No limit here: the activity itself gives up and records that.
const { callBack } = proxyActivities<Pick<Activities, 'callBack'>>({
  startToCloseTimeout: '1m',
  heartbeatTimeout: keepAliveTimeout,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10m' },
});

/** Reports a turn's end to its callback URL. The turn has ended by then, so nothing waits for this. */
export async function reportTurn({ turnId }: ReportTurnInput): Promise<void> {
  await callBack({ turnId });
}
