/** A route's entry on the OpenAPI page. */
export interface RouteDocumentation {
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly summary: string;
  /** What it answers where its schema has no `response`, by status. */
  readonly answers: Readonly<Record<number, string>>;
}

/** Documents a route. `operationId` is `tag.verb`, like the methods of Letta's clients. */
export function describeRoute(
  operationId: string,
  summary: string,
  answers: RouteDocumentation['answers'] = { 200: 'Done.' },
): RouteDocumentation {
  const tag = operationId.slice(0, operationId.lastIndexOf('.'));
  return { tags: [tag], operationId, summary, answers };
}
