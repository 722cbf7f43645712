import type { IncomingHttpHeaders } from 'node:http';
import type { AgentType } from '../../core/agents/agents.js';
import type { ClientGeneration } from '../../core/blocks/operations.js';

/** Which client is asking, as far as it says. `unknown`: curl, a browser, a program of its own. */
export interface Caller {
  readonly generation: ClientGeneration | 'unknown';
  /** How long ago this request may first have been sent, in ms; 0 for a first try, and where the client doesn't say. */
  readonly firstSentWithinMs: number;
  /** The version of a client of generation 0.1, as it states it. */
  readonly version?: string | undefined;
}

/** Recognises Letta's official clients by the headers their generators put in. */
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

/** Whether one of OpenAI's own clients asks, to which agents are models. */
export function isOpenAiClient(headers: IncomingHttpHeaders): boolean {
  return /OpenAI\//.test(headers['user-agent'] ?? '');
}

/** How long a try of generation 1 lasts unless its user said otherwise, in seconds. */
const usualTimeoutSeconds = 60;
/** The longest that the client waits between two tries, and what a message takes on its way, in ms. */
const pauseMs = 10_000;
/** A client's word on its patience is not taken for more than this, in seconds. */
const longestTimeoutSeconds = 3_600;

/** From one try to the next, at most. The client says how long it waits for an answer. */
function longestTryMs(headers: IncomingHttpHeaders): number {
  const said = Number(headers['x-stainless-timeout']);
  const seconds = said > 0 ? Math.min(said, longestTimeoutSeconds) : usualTimeoutSeconds;
  return seconds * 1_000 + pauseMs;
}

/** Whether the caller takes an exported file for a text and refuses an object: TypeScript clients of 0.1.x do. */
export function readsFilesAsTexts(headers: IncomingHttpHeaders): boolean {
  return headers['x-fern-language'] === 'JavaScript';
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
