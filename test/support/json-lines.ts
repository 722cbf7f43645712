import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Runs a program to its end and reads what it wrote, one JSON value a line. Throws, with all that it wrote, when it
 * fails.
 */
export async function runForJsonLines(command: string, args: readonly string[]): Promise<unknown[]> {
  const { stdout } = await promisify(execFile)(command, args, {
    env: { ...process.env, NODE_OPTIONS: '', PYTHONDONTWRITEBYTECODE: '1' },
    maxBuffer: 16 * 1_048_576,
    timeout: 230_000,
  }).catch((error: unknown) => {
    const { message, stdout: said, stderr } = error as Error & { stdout: string; stderr: string };
    throw new Error(`${message}\n${said}\n${stderr}`);
  });
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): unknown => JSON.parse(line));
}
