/** A page that a search found. */
export interface WebResult {
  readonly title: string;
  readonly url: string;
  /** An excerpt, as the provider cut it. */
  readonly excerpt: string;
  /** In the provider's format. */
  readonly published: string | null;
}

/** A web search. */
export interface WebQuery {
  readonly query: string;
  readonly limit: number;
  readonly includeDomains: readonly string[];
  readonly excludeDomains: readonly string[];
}

/** The web, for tools. Every method throws WebError. */
export interface Web {
  search(query: WebQuery, options: { readonly signal: AbortSignal }): Promise<readonly WebResult[]>;
  /** The text of a public web page, as Markdown. Private addresses are refused. */
  read(url: string, options: { readonly signal: AbortSignal }): Promise<string>;
}

/** Why a search or page failed. The message tells the model what to do. */
export class WebError extends Error {
  override readonly name = 'WebError';
}
