import { z } from 'zod';

/** Far more entries than any agent has, and few enough to be checked at once. */
const most = 10_000;

/** Limits the entries of a list in an agent file. Transcripts and passages are limited by the file's size. */
export const mostEntries = z.maxLength(most, {
  error: `holds more than ${most} entries. Split the file`,
});
