import type { IncomingHttpHeaders } from 'node:http';
import type { AgentType } from '../../core/agents/agents.js';
import type { ClientGeneration } from '../../core/blocks/operations.js';

/** The client that sent a request, as far as its headers tell. `unknown`: curl, a browser, another program. */
export interface Caller {
  readonly generation: ClientGeneration | 'unknown';
  /** How long ago the first try of this request may have been sent, in ms; 0 for a first try, and where the client doesn't say. */
  readonly firstSentWithinMs: number;
  /** The version that a client of generation 0.1 states. */
  readonly version?: string | undefined;
}

/** Recognises Letta's official clients by the headers that their generators add. */
export function identifyCaller(headers: IncomingHttpHeaders): Caller {
  const userAgent = headers['user-agent'] ?? '';
  if (headers['x-stainless-package-version'] !== undefined || userAgent.startsWith('Letta/')) {
    const retryCount = Number(headers['x-stainless-retry-count'] ?? 0) || 0;
    return { generation: '1', firstSentWithinMs: retryCount * longestTryMs(headers) };
  }
  const isFern = headers['x-fern-sdk-version'] !== undefined || /letta-client\/0\./.test(userAgent);
  const version = headers['x-fern-sdk-version'];
  return {
    generation: isFern ? '0.1' : 'unknown',
    firstSentWithinMs: 0,
    ...(typeof version === 'string' ? { version } : {}),
  };
}

/** Whether one of OpenAI's own clients sent the request: to them, agents are models. */
export function isOpenAiClient(headers: IncomingHttpHeaders): boolean {
  return /OpenAI\//.test(headers['user-agent'] ?? '');
}

/** The default time-out of a client of generation 1, in seconds. */
const usualTimeoutSeconds = 60;
/** The longest pause of the client between two tries, with the time on the network, in ms. */
const pauseMs = 10_000;
/** The longest time-out that a client is believed to have, in seconds. */
const longestTimeoutSeconds = 3_600;

/** The longest time from one try to the next, in ms. The client's header says how long it waits for an answer. */
function longestTryMs(headers: IncomingHttpHeaders): number {
  const said = Number(headers['x-stainless-timeout']);
  const seconds = said > 0 ? Math.min(said, longestTimeoutSeconds) : usualTimeoutSeconds;
  return seconds * 1_000 + pauseMs;
}

/** Whether the caller expects an exported file as a JSON string: TypeScript clients of 0.1.x do, and refuse an object. */
export function readsFilesAsTexts(headers: IncomingHttpHeaders): boolean {
  return headers['x-fern-language'] === 'JavaScript';
}

/** The agent type for a request that names none: programs for 0.1 were written for MemGPT agents. */
export function defaultAgentType(caller: Caller): AgentType {
  return caller.generation === '1' ? 'letta_v1_agent' : 'memgpt_agent';
}

/** The last patch version of 0.1 that reads the answer to an upload as a job. */
const lastWithJobs = 173;

/**
 * Whether the caller reads the answer to an upload as a job. Clients up to 0.1.173 do; all later ones read a file. An
 * unknown caller follows documents that were written for the older ones.
 */
export function uploadsAreJobs({ generation, version }: Caller, family: 'sources' | 'folders'): boolean {
  if (family === 'folders' || generation === '1') return false;
  const patch = /^0\.1\.(\d+)/.exec(version ?? '')?.[1];
  return patch === undefined || Number(patch) <= lastWithJobs;
}

/** The generation whose defaults apply. An unknown caller gets those of 0.1, because it follows documents of that time. */
export function generationOf(caller: Caller): ClientGeneration {
  return caller.generation === '1' ? '1' : '0.1';
}
