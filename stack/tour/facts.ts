import { parseArgs } from 'node:util';
import { isClone } from '../../adapters/settings/own-modules.js';

/** What the tour tells its agent. */
export interface TourFacts {
  readonly name: string;
  readonly city: string;
  readonly work: string;
  /** Said in the turn that is interrupted; each takes a step. */
  readonly likes: readonly string[];
  /** Kept in archival memory: where a thing is. */
  readonly thing: string;
  readonly place: string;
  /** Kept in archival memory in the turn that is interrupted. */
  readonly note: string;
}

export interface TourOptions {
  readonly facts: TourFacts;
  /** Ends after the tour instead of staying up. */
  readonly once: boolean;
  /** Only prints the usage. */
  readonly help: boolean;
}

export const usage = `${isClone ? 'npm run quickstart [-- options]' : 'npx perdure quickstart [options]'}

Starts perdure and shows what it does, then stays up until Ctrl-C.

  --once       stop after the tour
  --name       what the agent is told: your name            (Amelie)
  --city       where you live                               (Lisbon)
  --work       what you work as                             (a marine biologist)
  --likes      what you love, separated by commas           (chess,jasmine tea,night trains,tide pools)
  --thing      a thing to keep the place of                 (spare key)
  --place      where that is                                (under the blue flower pot)
  --note       a sentence to keep                           (The ferry leaves every twenty minutes)

Settings are read from the environment and .env; PERDURE_MODEL names the model, perdure/demo unless set.`;

/** Thrown for a wrong command line; the message is for people. */
export class TourOptionsError extends Error {
  constructor(message: string) {
    super(`${message}\n\n${usage}`);
    this.name = 'TourOptionsError';
  }
}

/** Reads the command line. Throws TourOptionsError. */
export function readTourOptions(args: readonly string[]): TourOptions {
  const { once, help, likes, ...texts } = parse(args);
  const told = likes
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  if (told.length < 2) throw new TourOptionsError('--likes takes at least two things, separated by a comma.');
  for (const [name, text] of Object.entries(texts)) {
    if (text.trim() === '') throw new TourOptionsError(`--${name} takes a text.`);
  }
  return { facts: { ...texts, likes: told }, once, help };
}

function parse(args: readonly string[]) {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  const options = {
    once: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
    name: text('Amelie'),
    city: text('Lisbon'),
    work: text('a marine biologist'),
    likes: text('chess,jasmine tea,night trains,tide pools'),
    thing: text('spare key'),
    place: text('under the blue flower pot'),
    note: text('The ferry leaves every twenty minutes'),
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new TourOptionsError((error as Error).message);
  }
}
