import type { Promises } from './requirement.js';

/** The command line. */
export const cli: Promises = {
  'cli.chat': [
    'Command line',
    'A chat shows calls, results and changes of memory as they happen, and takes decisions about calls that wait.',
  ],
  'cli.resume': [
    'Command line',
    'A chat whose connection breaks goes on after what it has shown, with each thing once.',
  ],
  'cli.slash': [
    'Command line',
    'In a chat memory, context and the past are shown, a change is taken back, and a copy is talked with.',
  ],
  'cli.agents': ['Command line', 'Agents are made, listed, shown, exported, imported and deleted.'],
  'cli.blocks': [
    'Command line',
    'Blocks are shown, edited over what was read, and their history, differences, authors and undo are there.',
  ],
  'cli.runs': ['Command line', 'Turns are listed, followed to their end, cancelled, and their steps shown.'],
  'cli.schedules': ['Command line', 'Messages are scheduled, listed, paused, resumed and deleted.'],
  'cli.sleep': ['Command line', 'A refinement is run and shown, and accepted or rejected after a review.'],
  'cli.search': ['Command line', 'Messages and passages are found by words.'],
  'cli.json': ['Command line', 'With --json the output of a command is one JSON value.'],
  'cli.errors': [
    'Command line',
    'What fails says what to do, beside the output, and has an exit code of its kind.',
  ],
  'cli.doctor': ['Command line', 'The doctor says of each part whether it is in order, and what to do.'],
  'cli.completion': [
    'Command line',
    'The completion of bash, zsh and fish offers commands, options and files, each where it can follow.',
  ],
  'cli.import': [
    'Command line',
    'A folder of agent files is imported: what is refused keeps no other out, and a second time makes nothing more.',
  ],
  'cli.import-database': [
    'Command line',
    "The agents of a Letta server's Postgres come over with blocks they share, messages in order, conversations, passages and tools, once; what does not is told.",
  ],
  'cli.cost': [
    'Command line',
    'Where prices are set, runs and their steps say what they cost; where one is not known, there is no figure.',
  ],
  'cli.sleep-schedules': ['Command line', 'Refinements are scheduled, listed, paused, resumed and deleted.'],
};
