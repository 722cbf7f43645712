import type { Promises } from './requirement.js';

/** The command line. */
export const cli: Promises = {
  'cli.chat': [
    'Command line',
    'A chat shows calls, results and memory changes as they happen, and asks for decisions about waiting calls.',
  ],
  'cli.resume': [
    'Command line',
    'A chat whose connection breaks continues where it stopped and shows everything once.',
  ],
  'cli.slash': [
    'Command line',
    'A chat can show memory, context and the past, undo a change, and continue with a fork.',
  ],
  'cli.agents': ['Command line', 'Agents are created, listed, shown, exported, imported and deleted.'],
  'cli.blocks': [
    'Command line',
    'Blocks are shown, edited on the revision that was read, compared, blamed and undone, with their history.',
  ],
  'cli.runs': [
    'Command line',
    'Turns are listed, followed to their end and cancelled, and their steps are shown.',
  ],
  'cli.schedules': ['Command line', 'Messages are scheduled, listed, paused, resumed and deleted.'],
  'cli.sleep': ['Command line', 'A refinement is run and shown, and accepted or rejected after a review.'],
  'cli.search': ['Command line', 'Messages and passages are found by words.'],
  'cli.json': ['Command line', 'With --json the output of a command is one JSON value.'],
  'cli.errors': ['Command line', 'A failure says on stderr what to do, and has the exit code of its kind.'],
  'cli.doctor': ['Command line', 'The doctor reports whether each part is in order, and what to do.'],
  'cli.completion': [
    'Command line',
    'The completion for bash, zsh and fish offers commands, options and files where they can follow.',
  ],
  'cli.import': [
    'Command line',
    'A folder of agent files is imported: a refused file blocks no other, and a repeated import creates nothing more.',
  ],
  'cli.import-database': [
    'Command line',
    "The agents of a Letta server's Postgres are imported once, with shared blocks, messages in order, conversations, passages and tools; the output lists what is left out.",
  ],
  'cli.cost': [
    'Command line',
    'When prices are set, runs and their steps show their cost; an unknown cost has no figure.',
  ],
  'cli.sleep-schedules': ['Command line', 'Refinements are scheduled, listed, paused, resumed and deleted.'],
};
