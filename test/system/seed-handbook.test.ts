import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packageFile } from '../../stack/processes.js';
import { waitFor } from '../../stack/waiting.js';
import { aPdf } from '../support/files/documents.js';
import { runForJsonLines } from '../support/json-lines.js';
import { type ChatRequest, lastReturned, lastSaid, type Reply } from '../support/model-server.js';
import { pythonWith } from '../support/python-clients.js';
import { shareTestStack, type TestStack } from '../support/stack.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

const pages = 60;

/** The agent as the document shows it: it searches, and says what it has found. */
function documentModel(request: ChatRequest, step: number): Reply {
  const thinking = 'I look it up.';
  if (step === 0 && lastSaid(request).includes('vacation policies')) {
    const args = { thinking, query: 'vacation policy, days of vacation', request_heartbeat: true };
    return { call: 'archival_memory_search', args };
  }
  const days = /(\d+) days of vacation/.exec(lastReturned(request))?.[1] ?? 'no';
  return { call: 'send_message', args: { thinking, message: `You have ${days} days of vacation.` } };
}

interface Shown {
  readonly cell: number;
  readonly kind: string;
  readonly content: unknown;
}

describe('the document’s employee handbook, with the Python client of its time', () => {
  let stack: TestStack;
  let python: string;
  let notebook: string;

  beforeAll(async () => {
    [stack, python] = await Promise.all([shareTestStack(documentModel), pythonWith('0.1.172')]);
    const directory = makeTemporaryDirectory('handbook');
    notebook = join(directory, 'employee_handbook.py');
    await copyFile(packageFile('test/seeds/employee_handbook.py'), notebook);
    const handbook = Array.from({ length: pages }, (_, page) => [
      `Chapter ${page}: rules of department ${page}.`,
      page === 41
        ? 'Vacation policy: everybody has 27 days of vacation.'
        : `Its door has the code ${page + 100}.`,
    ]);
    await writeFile(join(directory, 'handbook.pdf'), await aPdf(handbook));
    // Where the client must be installed first, a registry is waited for.
  });

  afterAll(async () => {
    await fetch(`${stack.url}/v1/sources/${(await readSource()).id}`, { method: 'DELETE' });
    await stack.close();
  });

  const read = async (path: string): Promise<unknown> => (await fetch(`${stack.url}${path}`)).json();
  const readSource = async (): Promise<{ id: string }> => {
    const sources = (await read('/v1/sources/?limit=1000')) as readonly { id: string; name: string }[];
    const own = sources.find(({ name }) => name === 'employee_handbook');
    if (own === undefined) throw new Error('The notebook made no source.');
    return own;
  };

  /** What the notebook showed, and what is left of it. */
  async function runNotebook() {
    const args = [packageFile('test/seeds/run.py'), notebook, stack.url];
    const shown = (await runForJsonLines(python, args)) as Shown[];
    const { id } = await readSource();
    const passages = (await read(`/v1/sources/${id}/passages?limit=1000`)) as readonly {
      text: string;
    }[];
    return { shown, passages: passages.map((passage) => passage.text) };
  }

  // One run shows both: the conformance of files has a file read in without a kill.
  it('[files.seed-script] [files.ingest-kill] is uploaded, attached and asked about, though the worker is killed in the middle of its ingestion', async () => {
    const running = runNotebook();
    const jobs = await waitFor(
      async () => {
        const active = (await read('/v1/jobs/active')) as readonly unknown[];
        return active.length > 0 ? active : undefined;
      },
      { timeoutMs: 90_000, everyMs: 5 },
    );
    expect(jobs).toHaveLength(1);
    await stack.worker.kill();
    await stack.startWorker();

    const { shown, passages } = await running;
    const printed = shown.filter(({ kind }) => kind === 'print').map(({ content }) => content);
    const said = shown.filter(({ kind }) => kind === 'message').map(({ content }) => content);
    expect(printed.at(-1)).toBe('completed');
    expect(said).toMatchObject([
      { message_type: 'reasoning_message' },
      { message_type: 'tool_call_message', tool_call: { name: 'archival_memory_search' } },
      { message_type: 'tool_return_message', status: 'success' },
      { message_type: 'reasoning_message' },
      { message_type: 'assistant_message', content: 'You have 27 days of vacation.' },
    ]);
    // A passage may repeat the end of the one before.
    const chapters = new Set(passages.join('\n').match(/Chapter \d+/g));
    expect([...chapters]).toEqual(Array.from({ length: pages }, (_, page) => `Chapter ${page}`));
  });
});
