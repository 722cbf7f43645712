import { storable } from '../../schema/db/storable.js';
import { findShapeFault } from './body-limits.js';
import type { App } from '../deps.js';
import { RequestRefusedError } from './problems.js';

/**
 * Parses JSON bodies. An empty body is accepted, because clients send `content-type: application/json` without one.
 * Characters that Postgres can't store (NUL, halves of surrogate pairs) become U+FFFD, in field names too. A body that
 * is nested too deep or has too long a list is refused with 422.
 */
export function acceptJson(app: App): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') {
      done(null, undefined);
      return;
    }
    const text = body.toString();
    void parseJson(request, text, (error, value) => {
      const fault = error === null ? findShapeFault(value) : undefined;
      if (fault !== undefined) done(new RequestRefusedError(422, `body: ${fault}`));
      else done(error, mayBeUnstorable.test(text) ? withStorableTexts(value) : value);
    });
  });
}

/** In JSON such a character can only be written as an escape. */
const mayBeUnstorable = /\\u(0000|d[89a-f])/i;

function withStorableTexts(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(withStorableTexts);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, part]) => [storable(name), withStorableTexts(part)]);
  return Object.fromEntries(entries) as unknown;
}
