import type { Promises } from './requirement.js';

/** Secrets and access. */
export const safety: Promises = {
  'secrets.sealed': [
    'Rule: secrets',
    'Agents’ secrets and variables and MCP servers’ tokens, headers and variables are sealed in the database (AES-256-GCM, bound to their place); those of earlier versions are sealed at the first start, and none is written in the clear.',
  ],
  'secrets.key': [
    'Rule: secrets',
    'The key is PERDURE_SECRET_KEY, or else created once in the data directory, readable by its owner alone; a process whose keys do not open the database’s secrets does not start and says so.',
  ],
  'secrets.no-key': [
    'Rule: secrets',
    'Without a key everything but secrets works: they are refused with the setting to set, and a database with secrets in the clear refuses the start.',
  ],
  'secrets.rotation': [
    'Rule: secrets',
    'Old keys open what they sealed; `npm run reseal` seals everything with the new key, after which the old one is no longer needed.',
  ],
  'secrets.masked': [
    'Clients 1',
    'No response contains a secret of an agent or an MCP server: the REST API, exports, forks and the OpenAPI document show masks or nothing.',
  ],
  'secrets.mask-back': [
    'Clients 1',
    'A change that sends a mask back keeps the value; a mask without a value behind it is refused with 422.',
  ],
  'secrets.redacted': [
    'Rule: secrets',
    'Tools’ errors and output and MCP servers’ errors are stored with the names of secrets in place of their values.',
  ],
  'mcp.daemons': [
    'Rule: effects',
    'A daemon that a stdio MCP server leaves behind, in any process group or session, ends with the connection.',
  ],
  'auth.slowed': [
    'Bad input',
    'Failed logins are slowed down per address and in total, with 429 and `retry-after`; the right password from another address is accepted at once.',
  ],
};
