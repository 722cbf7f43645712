// The thread that matches a model's regular expression. A runaway expression ends with its thread.
// Plain JavaScript, because Node itself loads a worker thread's file.
import { parentPort, workerData } from 'node:worker_threads';

const pattern = new RegExp(workerData.pattern, 'i');

parentPort.on('message', ({ lines }) => {
  const found = [];
  for (let index = 0; index < lines.length; index += 1) if (pattern.test(lines[index])) found.push(index);
  parentPort.postMessage(found);
});
