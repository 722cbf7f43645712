import type { Promises } from './requirement.js';

/** Custom tools: their schemas, how they run, and what they can't do. */
export const sandbox: Promises = {
  'tools.schema': [
    'Clients 4',
    'A Python tool’s name, description and JSON schema are read from signature and Google-style docstring, without running any of it.',
  ],
  'tools.schema-faults': [
    'Bad input',
    'Source that does not parse, has no docstring or an unsupported annotation is refused with 400 and a sentence that says what to change.',
  ],
  'tools.own-schema': ['Clients 4', 'A JSON schema that the author gives takes the place of the signature.'],
  'tools.upsert': [
    'Clients 4',
    'A tool is made, changed and deleted over REST; an upsert by name keeps its id, its agents and what is not given.',
  ],
};
