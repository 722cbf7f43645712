import { isExposed } from '../adapters/settings/exposure.js';
import type { Settings } from '../adapters/settings/settings.js';

/** A warning where other machines can use the API without a password; else undefined. */
export function findExposure(http: Settings['http']): string | undefined {
  if (!isExposed(http)) return undefined;
  return `Anyone who reaches ${http.host} can use this API. Set LETTA_SERVER_PASSWORD.`;
}
