import type { Promises } from './requirement.js';

/** Secrets, and what gets in. */
export const safety: Promises = {
  'secrets.sealed': [
    'Rule: secrets',
    'Agents’ secrets and variables and MCP servers’ tokens, headers and variables lie sealed in the database (AES-256-GCM, bound to their place); those of earlier versions are sealed at the first start, and none is written in the clear.',
  ],
  'secrets.key': [
    'Rule: secrets',
    'The key is PERDURE_SECRET_KEY, else made once in the data directory for its owner alone; a process whose keys don’t open what the database holds does not start and says so.',
  ],
  'secrets.no-key': [
    'Rule: secrets',
    'Without a key all works but secrets: they are refused with what to set, and a database that has some in the clear refuses the start.',
  ],
  'secrets.rotation': [
    'Rule: secrets',
    'Old keys open what they sealed; `npm run reseal` seals all with the new one, after which the old one is needed no more.',
  ],
  'secrets.masked': [
    'Clients 1',
    'No answer shows a secret, of an agent or of an MCP server: the REST API, exports, forks and the OpenAPI document give masks or nothing.',
  ],
  'secrets.mask-back': [
    'Clients 1',
    'A change that sends a mask back leaves the value as it is; a mask that stands for nothing is refused with 422.',
  ],
  'secrets.redacted': [
    'Rule: secrets',
    'Errors and output of tools and errors of MCP servers name a secret instead of showing it, before they are stored.',
  ],
  'mcp.daemons': [
    'Rule: effects',
    'A daemon that an MCP server over stdio leaves behind, in whatever group and session, is ended with its connection.',
  ],
  'auth.slowed': [
    'Bad input',
    'Failed logins are slowed down for their address and in all, with 429 and `retry-after`; the right password from another address gets in at once.',
  ],
};
