/** A page that a search found. */
export interface WebResult {
  readonly title: string;
  readonly url: string;
  /** What the page says, as the provider cut it. */
  readonly excerpt: string;
  /** As the provider tells it. */
  readonly published: string | null;
}

/** What to look for on the web. */
export interface WebQuery {
  readonly query: string;
  readonly limit: number;
  readonly includeDomains: readonly string[];
  readonly excludeDomains: readonly string[];
}

/** The web as tools use it. Every method throws WebError. */
export interface Web {
  search(query: WebQuery, options: { readonly signal: AbortSignal }): Promise<readonly WebResult[]>;
  /** The text of a page of the public web, as Markdown; addresses of private networks are refused. */
  read(url: string, options: { readonly signal: AbortSignal }): Promise<string>;
}

/** Why the web gave nothing. The message is for the model, and says what to do. */
export class WebError extends Error {
  override readonly name = 'WebError';
}
