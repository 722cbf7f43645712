import type { Promises } from './requirement.js';

/** Data sources, their files, and what agents do with them. */
export const files: Promises = {
  'files.sources': [
    'Files',
    'Sources and folders are the same rows under both names: create, list in pages, count, find by name, change, delete.',
  ],
  'files.upload': [
    'Files',
    'A file is uploaded as a multipart form; a second one of its name is skipped, refused, renamed or put in its place, as asked.',
  ],
  'files.upload-limit': [
    'Bad input',
    'A file above the limit is refused with 413 and a sentence, and nothing of it is kept.',
  ],
  'files.upload-shape': [
    'Files',
    'The answer to an upload is a job to clients up to 0.1.173 and a file to newer ones.',
  ],
  'files.jobs': [
    'Files',
    'A job tells how far a file is and why it failed; it is listed, cancelled and forgotten.',
  ],
  'files.formats': ['Files', 'PDF, DOCX, HTML, Markdown and text are told by their content and read.'],
  'files.unreadable': [
    'Bad input',
    'A file that is broken, encrypted, empty or a renamed picture fails with a sentence, and nothing of it is found.',
  ],
  'files.reader-isolated': [
    'Bad input',
    'Documents are read in the sandbox of custom tools where there is one: without a network, without our files and keys.',
  ],
  'files.reader-bounds': [
    'Bad input',
    'A document whose reading hangs or takes too much memory fails alone: it is read in a process of its own.',
  ],
  'files.chunks': [
    'Files',
    'A text is cut by tokens at headings and paragraphs, every word is in a passage, and none is above the size of its source.',
  ],
  'files.ingest': [
    'Files',
    'An uploaded file becomes passages that are found all at once when the last is embedded; its progress is seen meanwhile.',
  ],
  'files.ingest-kill': [
    'Files',
    'A worker killed anywhere in an ingestion leaves the same passages as an undisturbed one: none lost, none doubled.',
  ],
  'files.ingest-cancel': [
    'Files',
    'A cancelled ingestion ends at once and leaves no passage, also with all workers down.',
  ],
  'files.ingest-outage': [
    'Files',
    'An embedding provider that is away is waited for; one that refuses ends the file with its sentence.',
  ],
  'files.attach': [
    'Files',
    'Sources are attached to agents and taken from them, also when an agent is made or changed, and show in its state.',
  ],
  'files.search': [
    'Files',
    'archival_memory_search finds the passages of attached sources, whatever model embedded them, and they count in the figures.',
  ],
  'files.context': [
    'Files',
    'The context names the files of attached sources and shows the lines of open ones; opening and closing begins a new epoch.',
  ],
  'files.open': [
    'Files',
    'An agent opens and closes files by its tools, and a program over REST, within limits by the context window; the file opened longest ago makes room.',
  ],
  'files.grep': [
    'Files',
    'Lines are found by a regular expression, in pages with the lines around them; one that never ends is given up.',
  ],
  'files.semantic': ['Files', 'Passages of files are found by meaning, of all of them or of one.'],
  'files.tools': [
    'Files',
    'An agent gets the tools for files with its first source and loses them with the last; memgpt_v2_agent has its own.',
  ],
  'files.clients': [
    'The wire',
    'Official clients of both generations do all this with sources, folders, files and jobs.',
  ],
  'files.seed-script': [
    'Seeds',
    'The document’s handbook: a source is made, a PDF uploaded, its job polled, the source attached, and the agent finds the answer in it.',
  ],
  'files.sweep': [
    'Files',
    'An ingestion that was never begun, or whose execution is gone, is taken up by the sweep.',
  ],
};
