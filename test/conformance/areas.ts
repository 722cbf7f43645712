import { setTimeout as delay } from 'node:timers/promises';

/** What the TypeScript programs share: areas that are run one after the other, each reporting what it saw. */

export const models = { model: 'openai/scripted', embedding: 'openai/text-embedding-3-small' };
export const blocks = [
  { label: 'human', value: 'Unknown.' },
  { label: 'persona', value: 'I am Sam.' },
];

/** Python source of a tool that calculates. */
export function calculation(name: string, sign: string): string {
  return `def ${name}(a: int, b: int):\n    """Calculate.\n\n    Args:\n        a: One.\n        b: Other.\n    """\n    return a ${sign} b\n`;
}

/** Facts of an area, by name. */
export type Facts = Readonly<Record<string, unknown>>;

/** Runs each area; prints one JSON object a line. One that throws does not stop the others. */
export async function runAreas(areas: Readonly<Record<string, () => Promise<Facts>>>): Promise<void> {
  for (const [area, run] of Object.entries(areas)) {
    const line = await run().then(
      (facts) => ({ area, facts }),
      (error: unknown) => ({ area, error: error instanceof Error ? error.stack : String(error) }),
    );
    process.stdout.write(`${JSON.stringify(line)}\n`);
  }
}

/** Asks for a run until it has ended. */
export async function waitUntilEnded<Run extends { readonly status?: string | null }>(
  retrieve: () => Promise<Run>,
): Promise<Run> {
  for (let asked = 0; asked < 400; asked += 1) {
    const run = await retrieve();
    if (run.status !== 'created' && run.status !== 'running') return run;
    await delay(50);
  }
  throw new Error('a run does not end');
}

/** Status and sentence of the error that a call ends in; the generations name them differently. */
export async function problemOf(call: Promise<unknown>): Promise<{ status: number; detail: string }> {
  try {
    await call;
    return { status: 200, detail: '' };
  } catch (error) {
    const { status, statusCode, error: newer, body: older } = error as ClientError;
    return { status: status ?? statusCode ?? 0, detail: (newer ?? older)?.detail ?? String(error) };
  }
}

interface ClientError {
  readonly status?: number;
  readonly error?: { readonly detail: string };
  readonly statusCode?: number;
  readonly body?: { readonly detail: string };
}

/** All that an iterator has. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

interface Typed {
  readonly id?: string;
  readonly message_type?: string;
  readonly messageType?: string;
  readonly content?: unknown;
  readonly stop_reason?: unknown;
  readonly stopReason?: unknown;
}

/** Any message or chunk of either generation, as the areas read it. */
export function readMessage(message: object): { type: string; id: string; content: string; stop: unknown } {
  const read: Typed = message;
  return {
    type: read.message_type ?? read.messageType ?? '',
    id: read.id ?? '',
    content: typeof read.content === 'string' ? read.content : JSON.stringify(read.content ?? ''),
    stop: read.stop_reason ?? read.stopReason,
  };
}

/** What a stream whose answer came whole and one whose answer came in fragments have shown. */
export function streamFacts(whole: readonly object[], tokens: readonly object[]): Facts {
  const chunks = whole.map(readMessage);
  const said = tokens.map(readMessage).filter((chunk) => chunk.type === 'assistant_message');
  return {
    types: chunks.map((chunk) => chunk.type),
    said: chunks.find((chunk) => chunk.type === 'assistant_message')?.content,
    stop: chunks.find((chunk) => chunk.type === 'stop_reason')?.stop,
    fragments: said.length > 1,
    joined: said.map((chunk) => chunk.content).join(''),
    ids: new Set(said.map((chunk) => chunk.id)).size,
  };
}
