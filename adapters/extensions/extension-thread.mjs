import { parentPort, workerData } from 'node:worker_threads';
import { register as registerCommonJs } from 'tsx/cjs/api';
import { register } from 'tsx/esm/api';

// A thread does not inherit the loader by which its process reads TypeScript.
registerCommonJs();
register();

const { serveExtensions } = await import(workerData.host);
await serveExtensions(parentPort, workerData.modules);
