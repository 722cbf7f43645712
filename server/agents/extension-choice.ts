import { extensionKey } from '../../core/extensions/extension.js';
import type { ServerDeps } from '../deps.js';
import { RequestRefusedError } from '../http/problems.js';

/**
 * Returns the request's metadata if the extension that it names is loaded. Throws RequestRefusedError otherwise: every
 * turn of such an agent would fail.
 */
export function checkExtension(
  { extensions }: Pick<ServerDeps, 'extensions'>,
  metadata: Readonly<Record<string, unknown>> | null | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const named = metadata?.[extensionKey];
  if (named == null || extensions.some(({ name }) => name === named)) return metadata ?? undefined;
  const loaded = extensions.map(({ name }) => name).join(', ');
  throw new RequestRefusedError(
    422,
    `body.metadata.${extensionKey}: extension ${JSON.stringify(named)} is not loaded; loaded are: ${loaded === '' ? 'none' : loaded}. Add its module to PERDURE_EXTENSIONS of the server and the workers.`,
  );
}
