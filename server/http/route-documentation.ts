/** A route's entry on the OpenAPI page. */
export interface RouteDocumentation {
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly summary: string;
}

/** Documents a route. `operationId` is `tag.verb`, like the methods of Letta's clients. */
export function describeRoute(operationId: string, summary: string): RouteDocumentation {
  const tag = operationId.slice(0, operationId.lastIndexOf('.'));
  return { tags: [tag], operationId, summary };
}
