import type { IncomingHttpHeaders } from 'node:http';
import type { AgentType } from '../../core/agents.js';
import type { ClientGeneration } from '../../core/block-operations.js';

/** Which client is asking, as far as it says. `unknown`: curl, a browser, a program of its own. */
export interface Caller {
  readonly generation: ClientGeneration | 'unknown';
  /** How often this request was sent before: generation 1 says so, others never do. */
  readonly retryCount: number;
}

/** Recognises Letta's official clients by the headers their generators put in. */
export function identifyCaller(headers: IncomingHttpHeaders): Caller {
  const userAgent = headers['user-agent'] ?? '';
  if (headers['x-stainless-package-version'] !== undefined || userAgent.startsWith('Letta/')) {
    return { generation: '1', retryCount: Number(headers['x-stainless-retry-count'] ?? 0) || 0 };
  }
  const isFern = headers['x-fern-sdk-version'] !== undefined || /letta-client\/0\./.test(userAgent);
  return { generation: isFern ? '0.1' : 'unknown', retryCount: 0 };
}

/** The agent type that this client's users expect when they name none: programs for 0.1 were written for MemGPT. */
export function defaultAgentType(caller: Caller): AgentType {
  return caller.generation === '1' ? 'letta_v1_agent' : 'memgpt_agent';
}

/** The generation whose defaults apply; an unknown caller gets the older ones, as documents about them say. */
export function generationOf(caller: Caller): ClientGeneration {
  return caller.generation === '1' ? '1' : '0.1';
}
