// The thread that ends its process when the main thread is blocked. Plain JavaScript, because Node itself loads a
// worker
// thread's file.
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import pg from 'pg';

const { pulse, lookEveryMs, mostLooks, question, mark } = workerData;
/** How long finding and reporting the cause may take, in ms. Then the process is ended anyway. */
const wordsMs = 10_000;

let last = Atomics.load(pulse, 0);
// The number of checks, because there are none while the whole process is stopped.
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
  // A failed report must not keep the process alive.
  await Promise.race([tell().catch(() => undefined), delay(wordsMs)]);
  process.kill(process.pid, 'SIGKILL');
}

async function tell() {
  const seconds = Math.round((mostLooks * lookEveryMs) / 1_000);
  const work = await Promise.race([askMain().catch(() => undefined), delay(wordsMs / 2)]);
  const where = work === undefined ? '' : ` in ${work.name} of ${work.id}`;
  // Written directly, because the main thread would have to print this thread's output.
  writeSync(2, `Nothing went on here for ${seconds} s${where}: the process is ended, to be started again.\n`);
  if (work !== undefined && mark !== undefined) await leaveMark(work.id);
}

/** The main thread's current work. It is interrupted wherever it is, as by a debugger. */
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
