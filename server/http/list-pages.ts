import type { Page } from '../../schema/db/paging.js';

/**
 * Cuts a page out of a short list that was read whole, in ascending order. A cursor that is not in the list gives an
 * empty page, because clients iterate until they get one.
 */
export function cutPage<T extends { readonly id: string }>(list: readonly T[], page: Page): readonly T[] {
  const ordered = page.order === 'desc' ? [...list].reverse() : list;
  const start = page.after === undefined ? 0 : placeOf(ordered, page.after) + 1;
  const end = page.before === undefined ? ordered.length : placeOf(ordered, page.before);
  if (Number.isNaN(start) || Number.isNaN(end)) return [];
  const range = ordered.slice(start, Math.max(start, end));
  if (page.limit === undefined) return range;
  const isBackwards = page.before !== undefined && page.after === undefined;
  return isBackwards ? range.slice(Math.max(0, range.length - page.limit)) : range.slice(0, page.limit);
}

function placeOf(list: readonly { readonly id: string }[], id: string): number {
  const place = list.findIndex((item) => item.id === id);
  return place === -1 ? Number.NaN : place;
}
