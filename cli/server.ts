import { readStackFile } from '../adapters/settings/endpoints.js';
import { commandOf } from '../adapters/settings/own-modules.js';
import { loadEnvironment, readSettings } from '../adapters/settings/settings.js';
import { CommandFailure } from './failure.js';

/** Where the server is, and what opens it. */
export interface Server {
  readonly url: string;
  readonly token?: string | undefined;
}

/**
 * The server that the options or `PERDURE_URL` and `PERDURE_TOKEN` name, else the one of the stack that runs on this
 * machine, else the usual address.
 */
export function findServer(
  given: { readonly url?: string | undefined; readonly token?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): Server {
  const url = given.url ?? nonEmpty(env['PERDURE_URL']);
  const token = given.token ?? nonEmpty(env['PERDURE_TOKEN']);
  if (url !== undefined) return { url: url.replace(/\/+$/, ''), token };
  const settings = readSettings(loadEnvironment({ ...env }));
  const running = readStackFile(settings.home);
  return {
    url: running?.api ?? `http://127.0.0.1:${settings.http.port}`,
    token: token ?? settings.http.password,
  };
}

/** What the server answered, or why there is no answer. */
export interface Rest {
  readonly server: Server;
  get<T>(path: string, query?: Query): Promise<T>;
  send<T>(method: 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T>;
  /** The raw answer, for streams and files. Throws as the others do. */
  raw(path: string, request?: RequestInit): Promise<Response>;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Calls of a server's REST API. All throw CommandFailure. */
export function createRest(server: Server): Rest {
  const raw = async (path: string, request: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(request.headers);
    if (server.token !== undefined) headers.set('authorization', `Bearer ${server.token}`);
    if (typeof request.body === 'string') headers.set('content-type', 'application/json');
    let response: Response;
    try {
      response = await fetch(`${server.url}${path}`, { ...request, headers });
    } catch (error) {
      if (error instanceof Error && error.name === 'AbortError') throw error;
      throw unreachable(server, error);
    }
    if (response.ok) return response;
    throw refused(server, response.status, await response.text());
  };
  return {
    server,
    raw,
    get: async (path, query = {}) => readBody(await raw(`${path}${toQuery(query)}`)),
    send: async (method, path, body) =>
      readBody(await raw(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })),
  };
}

// The server's answers are what its routes promise; each caller names the fields that it reads.
async function readBody<T>(response: Response): Promise<T> {
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

function toQuery(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

function unreachable({ url }: Server, error: unknown): CommandFailure {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  const why = cause?.code ?? cause?.message ?? (error as Error).message;
  return new CommandFailure(
    'unreachable',
    `No server answers at ${url} (${why}).\n` +
      `Start one with ${commandOf('start')}, or name another with --url or PERDURE_URL.`,
  );
}

function refused({ url }: Server, status: number, body: string): CommandFailure {
  const detail = detailOf(body);
  if (status === 401 || status === 403) {
    return new CommandFailure(
      'unauthorized',
      `${url} refuses this token: ${detail}\nGive the server's password with --token or PERDURE_TOKEN.`,
    );
  }
  if (status >= 502 && status <= 504)
    return new CommandFailure('unreachable', `The server at ${url} answered ${status}: ${detail}`);
  if (status === 404) return new CommandFailure('notFound', detail);
  return new CommandFailure('failed', `The server answered ${status}: ${detail}`);
}

function detailOf(body: string): string {
  try {
    const { detail, difference } = JSON.parse(body) as { detail?: unknown; difference?: unknown };
    const text = typeof detail === 'string' ? detail : JSON.stringify(detail ?? body);
    return typeof difference === 'string' ? `${text}\n${difference}` : text;
  } catch {
    return body.slice(0, 500);
  }
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}
