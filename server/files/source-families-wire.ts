/** Clients of 0.1.x say sources, newer ones folders: the same rows under both names. */
export const families = ['sources', 'folders'] as const;
export type Family = (typeof families)[number];
