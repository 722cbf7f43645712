import { findVectorLibrary } from '../../../stack/pgvector.js';
import { findTemporalBinary } from '../../../stack/temporal-binary.js';

// Fetches or builds what the servers of a test run are made of, as the stack would, so that no test waits for it.

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

say(`Temporal: ${await findTemporalBinary({ cli: process.env['TEMPORAL_CLI'], onProgress: say })}`);
say(`pgvector: ${(await findVectorLibrary(say)) ?? 'none can be had, the exact store is tested alone'}`);
