import type { IncomingHttpHeaders } from 'node:http';
import type { AgentType } from '../../core/agents.js';
import type { ClientGeneration } from '../../core/block-operations.js';

/** Which client is asking, as far as it says. `unknown`: curl, a browser, a program of its own. */
export interface Caller {
  readonly generation: ClientGeneration | 'unknown';
  /** How often this request was sent before: generation 1 says so, others never do. */
  readonly retryCount: number;
  /** The version of a client of generation 0.1, as it states it. */
  readonly version?: string | undefined;
}

/** Recognises Letta's official clients by the headers their generators put in. */
export function identifyCaller(headers: IncomingHttpHeaders): Caller {
  const userAgent = headers['user-agent'] ?? '';
  if (headers['x-stainless-package-version'] !== undefined || userAgent.startsWith('Letta/')) {
    return { generation: '1', retryCount: Number(headers['x-stainless-retry-count'] ?? 0) || 0 };
  }
  const isFern = headers['x-fern-sdk-version'] !== undefined || /letta-client\/0\./.test(userAgent);
  const version = headers['x-fern-sdk-version'];
  return {
    generation: isFern ? '0.1' : 'unknown',
    retryCount: 0,
    ...(typeof version === 'string' ? { version } : {}),
  };
}

/** The agent type that this client's users expect when they name none: programs for 0.1 were written for MemGPT. */
export function defaultAgentType(caller: Caller): AgentType {
  return caller.generation === '1' ? 'letta_v1_agent' : 'memgpt_agent';
}

/** The last one of whose generation an upload to a source is answered by a job. */
const lastWithJobs = 173;

/**
 * Whether the caller reads the answer to an upload as a job: clients up to 0.1.173 do, and documents written for them.
 * All others read a file.
 */
export function uploadsAreJobs({ generation, version }: Caller, family: 'sources' | 'folders'): boolean {
  if (family === 'folders' || generation === '1') return false;
  const patch = /^0\.1\.(\d+)/.exec(version ?? '')?.[1];
  return patch === undefined || Number(patch) <= lastWithJobs;
}

/** The generation whose defaults apply; an unknown caller gets the older ones, as documents about them say. */
export function generationOf(caller: Caller): ClientGeneration {
  return caller.generation === '1' ? '1' : '0.1';
}
