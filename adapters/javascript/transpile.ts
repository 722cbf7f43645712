import { transform } from 'esbuild';

/** The source is not TypeScript. The message says where. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
}

/**
 * Transpiles TypeScript to JavaScript for this version of Node. Types are dropped, not checked. Throws SourceError.
 */
export async function transpile(source: string): Promise<string> {
  try {
    const { code } = await transform(source, { loader: 'ts', target: 'node20' });
    return code;
  } catch (error) {
    const [fault] =
      (error as { errors?: { text: string; location: { line: number } | null }[] }).errors ?? [];
    if (fault === undefined) throw error;
    throw new SourceError(
      `The source is not valid TypeScript: ${fault.text} (line ${fault.location?.line ?? '?'}).`,
    );
  }
}
