import { execFile } from 'node:child_process';
import { z } from 'zod';
import { findPython } from './interpreter.js';
import { pythonProgram } from './program.js';

const schema = z.record(z.string(), z.unknown());

const answer = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    name: z.string(),
    description: z.string(),
    parameters: z.object({
      type: z.literal('object'),
      properties: z.record(z.string(), schema),
      required: z.array(z.string()),
      $defs: z.record(z.string(), schema).optional(),
    }),
    modules: z.array(z.string()),
  }),
  z.object({ ok: z.literal(false), message: z.string() }),
]);

/** A tool as its Python source describes it; or what its author should change, as a sentence. */
export type DescribedTool = z.infer<typeof answer>;

const program = pythonProgram('describe');
const timeoutMs = 10_000;
/** The limit of the answer, which has limits of its own in the program. */
const mostBytes = 4 * 1024 * 1024;

/** A Python source with what its author gave separately, which is not looked for in the source. */
export interface ToolSource {
  readonly source: string;
  readonly name?: string | undefined;
  readonly hasDescription?: boolean;
  readonly hasParameters?: boolean;
}

/**
 * Reads the tool in a Python source without running it: the function with this name, else the last public one.
 * Undefined where this machine has no Python.
 */
export async function describePythonTool(asked: ToolSource): Promise<DescribedTool | undefined> {
  const python = await findPython();
  if (python === undefined) return undefined;
  const input = {
    source: asked.source,
    name: asked.name ?? null,
    has_description: asked.hasDescription ?? false,
    has_parameters: asked.hasParameters ?? false,
  };
  const output = await feed(python.executable, JSON.stringify(input));
  if (output === undefined) return { ok: false, message: 'The source is too complex for Python’s parser.' };
  return answer.parse(JSON.parse(output));
}

/** The program's answer; undefined where the parser crashed, which a source can provoke. */
function feed(executable: string, input: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: timeoutMs, env: {}, maxBuffer: mostBytes };
    const child = execFile(executable, ['-I', '-S', '-c', program], options, (error, stdout) => {
      resolve(error === null ? stdout : undefined);
    });
    // A crashed parser stops reading. Its end is reported above.
    child.stdin?.on('error', () => undefined).end(input);
  });
}
