/** What the OpenAPI page says of a route. */
export interface RouteDocumentation {
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly summary: string;
}

/** `operationId` is `tag.verb`, as the methods of Letta's clients are called. */
export function describeRoute(operationId: string, summary: string): RouteDocumentation {
  const tag = operationId.slice(0, operationId.lastIndexOf('.'));
  return { tags: [tag], operationId, summary };
}
