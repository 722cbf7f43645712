// The thread that ends its process when the main one stands still. Plain JavaScript, because a worker thread is loaded by
// Node itself.
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import pg from 'pg';

const { pulse, lookEveryMs, mostLooks, question, mark } = workerData;
/** What finding out and telling may take together, in ms: the process is ended with or without them. */
const wordsMs = 4_000;

let last = Atomics.load(pulse, 0);
// Counted in looks: while the whole process is stopped, there are none.
let looks = 0;
const timer = setInterval(() => {
  const now = Atomics.load(pulse, 0);
  looks = now === last ? looks + 1 : 0;
  last = now;
  if (looks < mostLooks) return;
  clearInterval(timer);
  void end();
}, lookEveryMs);

async function end() {
  // What can't be told keeps nothing alive.
  await Promise.race([tell().catch(() => undefined), delay(wordsMs)]);
  process.kill(process.pid, 'SIGKILL');
}

async function tell() {
  const seconds = Math.round((mostLooks * lookEveryMs) / 1_000);
  const work = await Promise.race([askMain().catch(() => undefined), delay(wordsMs / 2)]);
  const where = work === undefined ? '' : ` in ${work.name} of ${work.id}`;
  // Past the main thread, which would have to write what this one prints.
  writeSync(2, `Nothing went on here for ${seconds} s${where}: the process is ended, to be started again.\n`);
  if (work !== undefined && mark !== undefined) await leaveMark(work.id);
}

/** What the main thread is at, as it says itself: it is interrupted wherever it is, as a debugger does it. */
async function askMain() {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connectToMainThread();
  const paused = new Promise((resolve) => {
    session.once('Debugger.paused', ({ params }) => resolve(params.callFrames[0]));
  });
  await session.post('Debugger.enable');
  await session.post('Debugger.pause');
  const { callFrameId } = await paused;
  const asked = { callFrameId, expression: question, returnByValue: true };
  const { result } = await session.post('Debugger.evaluateOnCallFrame', asked);
  return result.value;
}

async function leaveMark(id) {
  const client = new pg.Client({ connectionString: mark.databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(mark.statement, [...mark.values, id]);
}
