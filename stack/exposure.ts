import type { Settings } from '../adapters/settings/settings.js';

/** A warning where whoever reaches the API from another machine may use it; undefined where nobody may. */
export function findExposure({ host, password }: Settings['http']): string | undefined {
  if (password !== undefined || /^(127\.|localhost$|::1$)/.test(host)) return undefined;
  return `Anyone who reaches ${host} can use this API: set LETTA_SERVER_PASSWORD.`;
}
