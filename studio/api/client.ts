import { createParser } from 'eventsource-parser';

const tokenKey = 'perdure.password';
const listeners = new Set<() => void>();

/** An answer of the server that is no success: its status, and what it says is wrong. Status 0: no answer at all. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly more: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
    this.name = 'ApiError';
  }
}

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export function setPassword(password: string): void {
  localStorage.setItem(tokenKey, password);
}

export function forgetPassword(): void {
  localStorage.removeItem(tokenKey);
}

/** Calls `listener` whenever the server asks for a password. Returns the function that ends this. */
export function onPasswordAsked(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The JSON of an answer. Throws ApiError. */
export async function call<T>(path: string, request: Request = {}): Promise<T> {
  const response = await send(path, request);
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** The body of an answer as it is, such as a file. Throws ApiError. */
export async function download(path: string): Promise<Blob> {
  return (await send(path, {})).blob();
}

export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

/** The server-sent events of an answer until it ends. Throws ApiError, also where the connection is lost. */
export async function* events(path: string, request: Request = {}): AsyncGenerator<ServerEvent> {
  const response = await send(path, request);
  if (response.body === null) return;
  const found: ServerEvent[] = [];
  const parser = createParser({ onEvent: ({ id, event, data }) => found.push({ id, event, data }) });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw request.signal?.aborted === true ? error : lost();
      });
      if (done) return;
      parser.feed(value);
      yield* found.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function send(path: string, { method, body, headers, signal }: Request): Promise<Response> {
  const password = localStorage.getItem(tokenKey);
  const response = await fetch(path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      ...(password === null ? {} : { authorization: `Bearer ${password}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    throw signal?.aborted === true ? error : lost();
  });
  if (response.ok) return response;
  if (response.status === 401) for (const listener of listeners) listener();
  throw await toError(response);
}

function lost(): ApiError {
  return new ApiError(
    0,
    'The server does not answer. Start it with `npm start`; this page goes on by itself.',
  );
}

async function toError(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const { detail, ...more } = JSON.parse(text) as Record<string, unknown>;
    return new ApiError(response.status, typeof detail === 'string' ? detail : JSON.stringify(detail), more);
  } catch {
    return new ApiError(response.status, text === '' ? response.statusText : text.slice(0, 500));
  }
}
