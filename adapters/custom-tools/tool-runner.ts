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

/** A custom tool as it is run. */
export interface RunnableTool {
  readonly name: string;
  readonly sourceType: string | null;
  readonly sourceCode: string | null;
  readonly runtime: Partial<ToolRuntime>;
  readonly requirements: readonly ToolRequirement[];
  /** Names of its arguments, in the order of its schema. */
  readonly parameters: readonly string[];
  /** The schema of its arguments, where its author gave one beside the source. */
  readonly argsSchema?: Readonly<Record<string, unknown>> | null;
  /** Tools that its source may call, where the whole source is run. Absent: none. */
  readonly beside?: readonly CallableSource[];
}

/** One call of a tool. */
export interface ToolRun {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Variables that the tool finds in its environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly agent: ToolAgentState | null;
  /** By which the server knows the tool when it calls back; null: it can't. */
  readonly token: string | null;
  readonly signal?: AbortSignal | undefined;
}

/** A tool with all that its runs need; or why it can't be run, for whoever called it. */
export type PreparedTool =
  | { readonly kind: 'ready'; run(call: ToolRun): Promise<ToolEnd> }
  | { readonly kind: 'refused'; readonly message: string };

/** Runs custom tools. */
export interface ToolRunner {
  /** Makes a tool ready to run. Nothing of it runs yet; the first time its packages are installed. */
  prepare(tool: RunnableTool): Promise<PreparedTool>;
}

export interface ToolRunnerOptions {
  /** Opened at the first run. Rejects with SandboxError where tools must not be run here. */
  readonly sandbox: () => Promise<Sandbox>;
  readonly python: () => Promise<Python | undefined>;
  readonly environments: (python: Python) => PythonEnvironments;
  /** The server's URL as this process reaches it. */
  readonly apiUrl: string;
  /** How long one run may take, in ms. */
  readonly timeoutMs: number;
}

/** The header by which the server knows a tool that calls back. */
export const toolTokenHeader = 'x-perdure-tool-token';

/** What keeps a tool from being run, and is told to whoever called it. */
const refusals = [SandboxError, EnvironmentError, SourceError];

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
    // As a plain process the user's other programs would count.
    processes: isolation === 'bubblewrap' ? processes : null,
  };
}
