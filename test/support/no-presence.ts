import type { Presence } from '../../activities/deps.js';

/** A worker that nobody sees: what it has in hand is taken over as if it had died. */
export const noPresence: Presence = { key: () => null, whileInHand: () => () => undefined };
