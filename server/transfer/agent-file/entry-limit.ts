import { z } from 'zod';

/** Far more than any agent has, and few enough to be looked through at once. */
const most = 10_000;

/** The check that a list of an agent file has not too many entries. Transcripts and passages are bounded by the file's size. */
export const mostEntries = z.maxLength(most, {
  error: `holds more than ${most} entries. Split the file`,
});
