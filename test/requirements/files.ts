import type { Promises } from './requirement.js';

/** Data sources, their files, and what agents do with them. */
export const files: Promises = {
  'files.sources': [
    'Files',
    'Sources and folders are the same rows under both names: create, list in pages, count, find by name, change, delete.',
  ],
  'files.upload': [
    'Files',
    'A file is uploaded as a multipart form; a second one of its name is skipped, refused, renamed or replaces it, as requested.',
  ],
  'files.upload-limit': [
    'Bad input',
    'A file above the limit is refused with 413 and a sentence, and nothing of it is kept.',
  ],
  'files.upload-shape': [
    'Files',
    'An upload returns a job to clients up to 0.1.173 and a file to newer ones.',
  ],
  'files.jobs': [
    'Files',
    'A job shows the progress of a file and why it failed; it is listed, cancelled and deleted.',
  ],
  'files.formats': ['Files', 'PDF, DOCX, HTML, Markdown and text are recognised by their content and read.'],
  'files.unreadable': [
    'Bad input',
    'A file that is broken, encrypted, empty or a renamed picture fails with a sentence, and has no passages.',
  ],
  'files.reader-isolated': [
    'Bad input',
    'Documents are read in the sandbox of custom tools when there is one: without network, files or keys of the machine.',
  ],
  'files.reader-bounds': [
    'Bad input',
    'Each document is read in its own process: one that hangs or takes too much memory fails alone.',
  ],
  'files.chunks': [
    'Files',
    'A text is split by tokens at headings and paragraphs, every word is in a passage, and no passage exceeds the chunk size of its source.',
  ],
  'files.ingest': [
    'Files',
    'An uploaded file becomes passages that can be found together once the last is embedded; its progress is visible meanwhile.',
  ],
  'files.ingest-kill': [
    'Files',
    'A worker killed anywhere in an ingestion leaves the passages of an undisturbed one: none lost, none doubled.',
  ],
  'files.ingest-cancel': [
    'Files',
    'A cancelled ingestion ends at once and leaves no passage, even with all workers down.',
  ],
  'files.ingest-outage': [
    'Files',
    'An ingestion waits for an unavailable embedding provider; a provider that refuses fails the file with its message.',
  ],
  'files.attach': [
    'Files',
    'Sources are attached to agents and detached, also when an agent is created or changed, and appear in its state.',
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
    'An agent opens and closes files with its tools, and a program over REST, within limits set by the context window; the file opened longest ago is closed first.',
  ],
  'files.grep': [
    'Files',
    'Lines are found by a regular expression, in pages with context lines; an expression that never ends is stopped.',
  ],
  'files.semantic': ['Files', 'Passages are found by meaning, in all files or in one.'],
  'files.tools': [
    'Files',
    'An agent gets the tools for files with its first source and loses them with the last; memgpt_v2_agent has its own.',
  ],
  'files.clients': [
    'The wire',
    'The official clients of both generations work with sources, folders, files and jobs.',
  ],
  'files.seed-script': [
    'Seeds',
    'The document’s handbook example works: create a source, upload a PDF, poll its job, attach the source; the agent finds the answer.',
  ],
  'files.sweep': ['Files', 'The sweep starts an ingestion that never began or whose execution is gone.'],
};
