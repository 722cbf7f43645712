import { extensionKey } from '../../core/extensions/extension.js';
import type { ServerDeps } from '../deps.js';
import { RequestRefusedError } from '../http/problems.js';

/**
 * The metadata that a request brings, where the extension that it names is one that is loaded. Throws
 * RequestRefusedError, so that no agent gets one whose turns would all fail.
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
    `body.metadata.${extensionKey}: there is no extension ${JSON.stringify(named)} (loaded: ${loaded === '' ? 'none' : loaded}). Name its module in PERDURE_EXTENSIONS of server and workers.`,
  );
}
