import { createEmbeddings } from '../../../adapters/embeddings/embeddings.js';

/**
 * The local embedding model, loaded once for all test files of a process. Nobody closes it: its thread keeps no process
 * alive.
 */
export const testEmbeddings = createEmbeddings({});
