import type { ToolRequirement, ToolRuntime } from '../../core/tools/custom-tools.js';
import { SourceError } from '../javascript/transpile.js';
import { EnvironmentError, type PythonEnvironments } from '../python/environments.js';
import type { Python } from '../python/interpreter.js';
import { openApiRelay } from '../sandbox/api-relay.js';
import { innerSocket } from '../sandbox/bubblewrap.js';
import type { Limits } from '../sandbox/limits.js';
import { type ProgramEnd, type Sandbox, SandboxError } from '../sandbox/sandbox.js';
import type { ApiDoor, CallableSource, RunnerInput, ToolAgentState } from './runner-protocol.js';
import { prepareStart, type RunnerStart } from './runner-start.js';
import { type ToolEnd, toToolEnd } from './tool-end.js';

/** A custom tool, as it runs. */
export interface RunnableTool {
  readonly name: string;
  readonly sourceType: string | null;
  readonly sourceCode: string | null;
  readonly runtime: Partial<ToolRuntime>;
  readonly requirements: readonly ToolRequirement[];
  /** Names of its arguments, in the order of its schema. */
  readonly parameters: readonly string[];
  /** The schema of its arguments, if its author gave one with the source. */
  readonly argsSchema?: Readonly<Record<string, unknown>> | null;
  /** Tools that its source may call, if the whole source runs. Absent: none. */
  readonly beside?: readonly CallableSource[];
}

/** One call of a tool. */
export interface ToolRun {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The tool's environment variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly agent: ToolAgentState | null;
  /** Identifies the tool when it calls the server; null: it can't. */
  readonly token: string | null;
  readonly signal?: AbortSignal | undefined;
}

/** A prepared tool, or why it can't run, for the caller. */
export type PreparedTool =
  | { readonly kind: 'ready'; run(call: ToolRun): Promise<ToolEnd> }
  | { readonly kind: 'refused'; readonly message: string };

/** Runs custom tools. */
export interface ToolRunner {
  /** Prepares a tool. Runs none of its code; installs its packages the first time. */
  prepare(tool: RunnableTool): Promise<PreparedTool>;
}

export interface ToolRunnerOptions {
  /** Opened at the first run. Rejects with SandboxError where tools must not run here. */
  readonly sandbox: () => Promise<Sandbox>;
  readonly python: () => Promise<Python | undefined>;
  readonly environments: (python: Python) => PythonEnvironments;
  /** The server's URL for this process. */
  readonly apiUrl: string;
  /** The limit of one run, in ms. */
  readonly timeoutMs: number;
}

/** The header with a running tool's token. */
export const toolTokenHeader = 'x-perdure-tool-token';

/** Errors that keep a tool from running and are shown to the caller. */
const refusals = [SandboxError, EnvironmentError, SourceError];

/** Creates a runner of custom tools. */
export function createToolRunner(options: ToolRunnerOptions): ToolRunner {
  return {
    async prepare(tool) {
      try {
        const sandbox = await options.sandbox();
        const start = await prepareStart(tool, options, sandbox);
        return { kind: 'ready', run: (call) => run({ ...options, tool, start, sandbox, call }) };
      } catch (error) {
        if (!refusals.some((kind) => error instanceof kind)) throw error;
        return { kind: 'refused', message: `${tool.name} can't be run: ${(error as Error).message}` };
      }
    },
  };
}

interface Starting extends Omit<ToolRunnerOptions, 'sandbox'> {
  readonly tool: RunnableTool;
  readonly start: RunnerStart;
  readonly sandbox: Sandbox;
  readonly call: ToolRun;
}

async function run({ tool, start, sandbox, call, apiUrl, timeoutMs }: Starting): Promise<ToolEnd> {
  const kind = sandbox.isolation === 'bubblewrap' ? 'socket' : 'port';
  const relay =
    call.token === null
      ? undefined
      : await openApiRelay({ apiUrl, headers: { [toolTokenHeader]: call.token }, kind, agent: call.agent });
  const socket = relay !== undefined && 'socket' in relay.door ? relay.door.socket : undefined;
  const door = socket === undefined ? (relay?.door ?? null) : { socket: innerSocket };
  try {
    const end: ProgramEnd = await sandbox.run({
      ...start,
      input: JSON.stringify(toInput({ tool, call, start, door, sandbox, timeoutMs })),
      socket,
      timeoutMs,
      signal: call.signal,
    });
    const { limits, isolation } = sandbox;
    return toToolEnd(tool.name, end, { limits, timeoutMs, isolation });
  } finally {
    await relay?.close();
  }
}

function toInput({
  tool,
  call,
  start,
  door,
  sandbox,
  timeoutMs,
}: Pick<Starting, 'tool' | 'call' | 'start' | 'sandbox' | 'timeoutMs'> & {
  readonly door: ApiDoor | null;
}): RunnerInput {
  return {
    source: start.source,
    function: tool.runtime.function === undefined ? tool.name : tool.runtime.function,
    beside: tool.beside ?? [],
    arguments: call.arguments,
    args_schema: tool.argsSchema ?? null,
    parameters: tool.parameters,
    environment: call.environment,
    limits: toRunnerLimits(sandbox, timeoutMs),
    agent: call.agent,
    agent_id: call.agent?.id ?? null,
    api: door,
  };
}

function toRunnerLimits({ limits, isolation }: Sandbox, timeoutMs: number): RunnerInput['limits'] {
  const { addressSpaceBytes, fileBytes, processes }: Limits = limits;
  return {
    address_space: addressSpaceBytes,
    file_size: fileBytes,
    cpu: Math.ceil(timeoutMs / 1000) + 1,
    // For a plain process, the user's other programs would count too.
    processes: isolation === 'bubblewrap' ? processes : null,
  };
}
