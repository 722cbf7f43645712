/** An error in OpenAI's form. Its clients show `error.message`. */
export interface OpenAiError {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: null;
    readonly code: string | null;
  };
}

export function toOpenAiError(problem: {
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
}): OpenAiError {
  return { error: { ...problem, param: null } };
}

/** OpenAI's error type for this status. */
export function openAiErrorType(status: number): string {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 404:
      return 'not_found_error';
    case 429:
      return 'rate_limit_error';
    default:
      return status < 500 ? 'invalid_request_error' : 'server_error';
  }
}
