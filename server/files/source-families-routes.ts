import { z } from 'zod';
import { idOf } from '../http/ids-wire.js';

/** What clients of 0.1.x call sources and newer ones folders: the same rows, under both names. */
export const families = ['sources', 'folders'] as const;
export type Family = (typeof families)[number];

/** The path parameter of everything that belongs to one source. */
export const sourceParams = z.object({ source_id: idOf('source') });
