import { z } from 'zod';
import { AgentFileError } from './agent-file-error.js';
import { type AgentDocument, agentDocument } from './document.js';
import { looksOlder, olderDocument, toNewerForm } from './older-form.js';
import { partVersion } from './perdure-part.js';

/**
 * Parses the JSON of an agent file of any form. Throws AgentFileError, which names the place, for what is not an agent
 * file, for an unknown version, and for missing or wrong members.
 */
export function parseAgentFile(json: unknown): AgentDocument {
  // Some programs encode the file's text as JSON twice.
  const given = typeof json === 'string' ? parseText(json) : json;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw noAgentFile();
  if (looksOlder(given)) return check(agentDocument, toNewerForm(check(olderDocument, given)));
  if (!('agents' in given)) throw noAgentFile();
  refuseVersion(given);
  return check(agentDocument, given);
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw noAgentFile();
  }
}

function noAgentFile(): AgentFileError {
  return new AgentFileError(
    'This is not an agent file: it has neither `agents`, as newer ones have, nor `agent_type` and `core_memory`, as older ones have. Send a file from GET /v1/agents/{agent_id}/export, or one of Letta’s (.af).',
  );
}

function refuseVersion(given: object): void {
  const { data: version } = z
    .object({ perdure: z.object({ version: z.unknown() }) })
    .transform(({ perdure }) => perdure.version)
    .safeParse(given);
  if (version === undefined || version === partVersion) return;
  throw new AgentFileError(
    `The file has version ${JSON.stringify(version)} of perdure's part, and this server reads version ${partVersion}. Import it with a newer server.`,
  );
}

/** How many faults an error names. */
const mostTold = 3;

function check<Shape extends z.ZodType>(shape: Shape, given: unknown): z.infer<Shape> {
  const { data, error } = shape.safeParse(given);
  if (error === undefined) return data;
  const faults = error.issues.slice(0, mostTold).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  const more = error.issues.length > mostTold ? ` (and ${error.issues.length - mostTold} more)` : '';
  throw new AgentFileError(`The agent file can't be read. ${faults.join('; ')}${more}. Correct it.`);
}
