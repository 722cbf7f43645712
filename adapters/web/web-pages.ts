import { type Dispatcher, request } from 'undici';
import { createPublicAgent } from './public-addresses.js';
import { WebError } from './web.js';

const mostRedirects = 5;
const mostBytes = 5 * 1024 * 1024;
const patienceMs = 20_000;

/**
 * Creates a reader of pages as Markdown. `dispatcher` makes connections; the default refuses private addresses.
 * Throws WebError.
 */
export function createPageReader(
  dispatcher: Dispatcher = createPublicAgent(),
): (url: string, signal: AbortSignal) => Promise<string> {
  return async (url, signal) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    try {
      const { type, text } = await follow(url, { dispatcher, signal: limited });
      if (!/\bhtml\b/.test(type)) return text;
      const { NodeHtmlMarkdown } = await import('node-html-markdown');
      return NodeHtmlMarkdown.translate(text).trim();
    } catch (error) {
      signal.throwIfAborted();
      throw toWebError(error, url);
    }
  };
}

interface Page {
  readonly type: string;
  readonly text: string;
}

/** Follows redirects itself, so that each address is checked like the first. */
async function follow(
  start: string,
  options: { readonly dispatcher: Dispatcher; readonly signal: AbortSignal },
): Promise<Page> {
  let url = parse(start);
  for (let hops = 0; hops <= mostRedirects; hops += 1) {
    const answer = await request(url, { ...options, headers: { 'user-agent': 'perdure', accept: 'text/*' } });
    const type = String(answer.headers['content-type'] ?? '');
    const { location } = answer.headers;
    if (answer.statusCode >= 300 && answer.statusCode < 400 && typeof location === 'string') {
      await answer.body.dump();
      url = parse(location, url);
      continue;
    }
    if (answer.statusCode !== 200) {
      await answer.body.dump();
      throw new WebError(`${url.href} answered ${answer.statusCode}. Try another page.`);
    }
    if (!/^(text\/|application\/(json|xhtml\+xml|xml))/.test(type)) {
      await answer.body.dump();
      throw new WebError(
        `${url.href} is ${type === '' ? 'of no known type' : type}, which can't be read as text.`,
      );
    }
    return { type, text: await readText(answer.body) };
  }
  throw new WebError(`${start} redirects more than ${mostRedirects} times.`);
}

/** Reads the body up to the limit. */
async function readText(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= mostBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, mostBytes).toString();
}

function parse(url: string, base?: URL): URL {
  const parsed = URL.canParse(url, base?.href) ? new URL(url, base) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new WebError(
      `'${url}' is not the address of a page. Give one that begins with http:// or https://.`,
    );
  }
  return parsed;
}

function toWebError(error: unknown, url: string): WebError {
  const known = findWebError(error);
  if (known !== undefined) return known;
  const why =
    error instanceof Error && error.name === 'TimeoutError' ? 'did not answer in time' : 'can’t be reached';
  return new WebError(`${url} ${why}. Try another page.`, { cause: error });
}

/** Libraries wrap the connector's error. */
export function findWebError(error: unknown): WebError | undefined {
  if (error instanceof WebError) return error;
  return error instanceof Error && error.cause !== undefined ? findWebError(error.cause) : undefined;
}
