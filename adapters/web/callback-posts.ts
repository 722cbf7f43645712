import { Agent, type Dispatcher, request } from 'undici';
import type { CallbackAnswer, CallbackReport } from '../../core/turns/callbacks.js';
import { createPublicAgent } from './public-addresses.js';
import { findWebError } from './web-pages.js';

const patienceMs = 20_000;

type Post = (url: string, report: CallbackReport, signal: AbortSignal) => Promise<CallbackAnswer>;

/** Posts reports once, without following redirects. `allowsPrivate`: see `openCallbacks`. */
export function createPost({ allowsPrivate }: { readonly allowsPrivate: boolean }): Post {
  const dispatcher: Dispatcher = allowsPrivate ? new Agent() : createPublicAgent();
  return async (url, report, signal) => {
    try {
      const answer = await request(url, {
        dispatcher,
        method: 'POST',
        signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
        headers: {
          'content-type': 'application/json',
          'user-agent': 'perdure',
          // Lets the receiver recognise a repeated report of the same run.
          'idempotency-key': report.turnId,
        },
        body: JSON.stringify(toBody(report)),
      });
      await answer.body.dump();
      return { kind: 'answered', status: answer.statusCode };
    } catch (error) {
      signal.throwIfAborted();
      const refused = findWebError(error);
      if (refused !== undefined) return { kind: 'refused', why: `${refused.message} ${advice}` };
      const isLate = error instanceof Error && error.name === 'TimeoutError';
      return { kind: 'unreachable', why: isLate ? 'It did not answer in time.' : 'It can’t be reached.' };
    }
  };
}

const advice = 'The operator of this server can allow it with PERDURE_CALLBACKS_TO_PRIVATE=true.';

/** The report in the REST API's words. */
function toBody(report: CallbackReport): Readonly<Record<string, unknown>> {
  return {
    run_id: report.turnId,
    status: report.state,
    stop_reason: report.stopReason,
    completed_at: report.completedAt?.toISOString() ?? null,
    agent_id: report.agentId,
    conversation_id: report.threadId === report.agentId ? null : report.threadId,
    metadata: report.error === null ? {} : { error: report.error },
  };
}
