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
    'A file contains the names of variables, never their values; an import sets values or says which are missing.',
  ],
  'agentfile.letta': [
    'Clients 7',
    'Letta’s own files of both forms are imported: blocks, tools, rules, and the transcript in order, as the runtime keeps it.',
  ],
  'agentfile.wishes': [
    'Clients 7',
    'An import applies the options of both client generations: name, suffix, model, embedding, project, stripped messages, replaced tools.',
  ],
  'agentfile.shared': [
    'Clients 7',
    'An import reuses an existing source only when its name and the texts of all its files are equal; the import says what it shares and what it leaves out.',
  ],
  'agentfile.again': [
    'Clients 7',
    'An import that its client repeats, as a retry or with its key, creates nothing more and gets the same answer.',
  ],
  'identities.rest': [
    'Clients 7',
    'Identities are created, upserted by their key, changed, listed and deleted; a taken key is a 409.',
  ],
  'identities.agents': [
    'Clients 7',
    'Agents are created for identities, attached to them, shown with them, and found by identity id or key.',
  ],
  'context.overview': [
    'Clients 7',
    'The overview of a context shows its actual parts, and its size as a turn counts it: by the provider’s figure when there is one.',
  ],
  'context.extension': [
    'Clients 7',
    'A prompt that an extension compiles is shown as it was compiled while it is current, and is refused with a sentence otherwise; an outdated prompt is never shown.',
  ],
  'context.recompile': [
    'Clients 7',
    'A recompiled agent or conversation begins a new epoch at its next step; a dry run returns the prompt and changes nothing.',
  ],
  'agentfile.refused': [
    'Bad input',
    'A document that is not an agent file, has another version, dangling references or too much data, or needs an unavailable model or tool is refused with a sentence, and nothing of it is written.',
  ],
};
