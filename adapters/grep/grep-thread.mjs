// The thread in which a regular expression of a model's is matched: one that runs away is ended with its thread.
// Plain JavaScript, because a worker thread is loaded by Node itself.
import { parentPort, workerData } from 'node:worker_threads';

const pattern = new RegExp(workerData.pattern, 'i');

parentPort.on('message', ({ lines }) => {
  const found = [];
  for (let index = 0; index < lines.length; index += 1) if (pattern.test(lines[index])) found.push(index);
  parentPort.postMessage(found);
});
