// The thread in which strangers' schemas are compiled and arguments are checked against them: a pattern, a reference or a
// list that runs away is ended with its thread.
// Plain JavaScript, because a worker thread is loaded by Node itself.
import { parentPort } from 'node:worker_threads';
import { answer } from './schema-answers.mjs';

parentPort.on('message', ({ schema, args }) => {
  parentPort.postMessage(answer(schema, args));
});
parentPort.postMessage({ kind: 'ready' });
