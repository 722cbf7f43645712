import { openPassageStore } from '../../../adapters/archival/open-passage-store.js';
import { openDatabase } from '../../../schema/db/database.js';
import { registerStore } from '../../../schema/archives/passage-feed.js';
import { createStoreFeed } from '../../../schema/archives/store-feed.js';
import { startFeeding } from '../../../worker/store-feed.js';

/** Feeds the store of `PERDURE_ARCHIVAL_STORE` from `DATABASE_URL` as a worker does, until it is killed. */
const { DATABASE_URL: url = '', PERDURE_ARCHIVAL_STORE: name } = process.env;
const store = await openPassageStore(name, process.env);
if (store === undefined) throw new Error('No store is named.');
const { db } = openDatabase(url);
await registerStore(db, store.name);
const say = (message: string): void => {
  process.stderr.write(`${message}\n`);
};
startFeeding({ db, feed: createStoreFeed(store), log: { warn: say, error: say } });
