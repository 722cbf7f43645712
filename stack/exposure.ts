import { isExposed } from '../adapters/settings/exposure.js';
import type { Settings } from '../adapters/settings/settings.js';

/** A warning where whoever reaches the API from another machine may use it; undefined where nobody may. */
export function findExposure(http: Settings['http']): string | undefined {
  if (!isExposed(http)) return undefined;
  return `Anyone who reaches ${http.host} can use this API: set LETTA_SERVER_PASSWORD.`;
}
