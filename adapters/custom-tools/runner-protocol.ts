import { z } from 'zod';

/** An agent, as a tool's code sees it: the fields of the REST API that code written for Letta reads. */
export interface ToolAgentState {
  readonly id: string;
  readonly blocks: readonly ToolBlockState[];
  readonly [field: string]: unknown;
}

export interface ToolBlockState {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly [field: string]: unknown;
}

/** How the server is reached from within the sandbox. */
export type ApiDoor = { readonly socket: string } | { readonly port: number };

/** A tool that the running source may call by its name. Python only. */
export interface CallableSource {
  readonly name: string;
  readonly source: string;
  readonly function: string;
}

/** The runner's standard input: `adapters/python/runner/main.py`, `adapters/javascript/runner.mjs`. */
export interface RunnerInput {
  readonly source: string;
  readonly function: string | null;
  readonly beside: readonly CallableSource[];
  readonly arguments: Readonly<Record<string, unknown>>;
  /** A Python tool gets its objects as pydantic models. */
  readonly args_schema: Readonly<Record<string, unknown>> | null;
  /** Names of the arguments, in the order of the tool's schema. */
  readonly parameters: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: {
    readonly address_space: number;
    readonly file_size: number;
    readonly cpu: number;
    readonly processes: number | null;
  };
  readonly agent: ToolAgentState | null;
  readonly agent_id: string | null;
  readonly api: ApiDoor | null;
}

/** What a runner writes to file descriptor 3. The tool itself could write there too, so nothing in it is trusted. */
export const runnerAnswer = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), value: z.string(), blocks: z.record(z.string(), z.string()) }),
  z.object({ ok: z.literal(false), error: z.string() }),
]);

export type RunnerAnswer = z.infer<typeof runnerAnswer>;
