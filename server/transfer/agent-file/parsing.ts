import { z } from 'zod';
import { AgentFileError } from './agent-file-error.js';
import { type AgentDocument, agentDocument } from './document.js';
import { looksOlder, olderDocument, toNewerForm } from './older-form.js';
import { partVersion } from './perdure-part.js';

/**
 * An agent file of any form, from its JSON. Throws AgentFileError with a sentence that names the place: for what is no
 * agent file, one of a version that this program doesn't know, and one that lacks a member.
 */
export function parseAgentFile(json: unknown): AgentDocument {
  // Some programs have written the file's text into JSON once more.
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
    'This is no agent file: it has neither `agents`, as newer ones have, nor `agent_type` and `core_memory`, as older ones. Send what GET /v1/agents/{agent_id}/export gave, or a file of Letta’s (.af).',
  );
}

function refuseVersion(given: object): void {
  const { data: version } = z
    .object({ perdure: z.object({ version: z.unknown() }) })
    .transform(({ perdure }) => perdure.version)
    .safeParse(given);
  if (version === undefined || version === partVersion) return;
  throw new AgentFileError(
    `The file is of version ${JSON.stringify(version)} of perdure's form, and this server reads version ${partVersion}. Import it with a server of the version that wrote it, or a newer one.`,
  );
}

/** Faults that are told at once. */
const mostTold = 3;

function check<Shape extends z.ZodType>(shape: Shape, given: unknown): z.infer<Shape> {
  const { data, error } = shape.safeParse(given);
  if (error === undefined) return data;
  const faults = error.issues.slice(0, mostTold).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  const more = error.issues.length > mostTold ? ` (and ${error.issues.length - mostTold} more)` : '';
  throw new AgentFileError(`The agent file can't be read. ${faults.join('; ')}${more}. Correct it.`);
}
