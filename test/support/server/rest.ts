const patienceMs = 20_000;

/** What a server answered. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Plain HTTP calls to a server at this URL, as a program without a client library makes them; with these headers. */
export function createRest(url: string, headers: Readonly<Record<string, string>> = {}) {
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      signal: AbortSignal.timeout(patienceMs),
      headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  };
  /** As `call`, where anything but 200 is a failure of the test. */
  const read = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const answer = await call(method, path, body);
    if (answer.status !== 200) {
      throw new Error(`${method} ${path} answered ${String(answer.status)}: ${JSON.stringify(answer.body)}`);
    }
    return answer.body as Body;
  };
  return { call, read };
}

export type Rest = ReturnType<typeof createRest>;
