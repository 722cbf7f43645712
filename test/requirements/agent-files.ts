import type { Promises } from './requirement.js';

/** Agents as files, who they are for, and what is in their context. */
export const agentFiles: Promises = {
  'agentfile.circle': [
    'Clients 7',
    'An agent exported by an official client and imported into an empty server answers, finds its messages and passages, and is exported to an equal file.',
  ],
  'agentfile.whole': [
    'Clients 7',
    'A file holds blocks (shared ones once), tools with source, rules, passages with vectors, transcripts of all threads with what is in context, summaries, sources with files, and partners.',
  ],
  'agentfile.secrets': [
    'Clients 7',
    'Names of variables are in a file, their values never; an import gives them values or says which have none.',
  ],
  'agentfile.letta': [
    'Clients 7',
    'Letta’s own files of both forms are imported: blocks, tools, rules, and the transcript in order, as the runtime keeps it.',
  ],
  'agentfile.wishes': [
    'Clients 7',
    'An import honours name, suffix, model, embedding, project, stripped messages, and whether tools are replaced, in the forms of both client generations.',
  ],
  'agentfile.shared': [
    'Clients 7',
    'A source of an import is one that was here already only where name and texts of all files are the same; the import says what it shares, and what it leaves out.',
  ],
  'agentfile.again': [
    'Clients 7',
    'An import that its client sends again, as a retry or under its own key, makes nothing more and is answered as before.',
  ],
  'identities.rest': [
    'Clients 7',
    'Identities are made, upserted by their key, changed, listed and deleted; a key that is taken is a 409.',
  ],
  'identities.agents': [
    'Clients 7',
    'Agents are made for identities, attached to them, shown with them, and found by their ids and keys.',
  ],
  'context.overview': [
    'Clients 7',
    'The overview of a context tells its true parts, and its size as a turn counts it: by the provider’s figure where there is one.',
  ],
  'context.extension': [
    'Clients 7',
    'A prompt that an extension compiles is told as it was compiled, or not at all, with a sentence; a prompt that holds no more is not told.',
  ],
  'context.recompile': [
    'Clients 7',
    'A recompiled agent or conversation begins a new epoch at its next step; a dry run tells the prompt and changes nothing.',
  ],
  'agentfile.refused': [
    'Bad input',
    'What is no agent file, of another version, dangling, too large, or needs a model or a tool that can’t be had is refused with a sentence, and nothing of it is written.',
  ],
};
