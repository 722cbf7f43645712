import { z } from 'zod';

/** The kinds of ids that the REST API takes in paths and queries; each is `kind-uuid`. */
export type WireIdKind =
  | 'agent'
  | 'block'
  | 'tool'
  | 'message'
  | 'run'
  | 'step'
  | 'passage'
  | 'conv'
  | 'group'
  | 'identity'
  | 'refinement'
  | 'request'
  | 'source'
  | 'file'
  | 'job'
  | 'archive'
  | 'mcp_server'
  | 'schedule';

const uuid = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';

/** An id of this kind. Anything else is refused with 422 before a query is made. */
export function idOf(kind: WireIdKind): z.ZodString {
  return z.string().regex(new RegExp(`^${kind}-${uuid}$`), {
    error: `must be an id of the form ${kind}-<uuid>, as the API returned it`,
  });
}
