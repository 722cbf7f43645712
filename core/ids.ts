/**
 * Ids of the rows that a turn writes. They are computed from the turn and a place in it, so that a repeated activity
 * or a resumed turn names the same rows.
 */
export type IdKind =
  'run' | 'request' | 'message' | 'step' | 'effect' | 'delivery' | 'epoch' | 'eviction' | 'passage' | 'block';

/**
 * An id `kind-uuid` that is a pure function of its arguments (128 bits, mixed as MurmurHash3 does). The turn's own
 * UUID brings the entropy.
 */
export function derivedId(kind: IdKind, turnId: string, ...place: readonly (string | number)[]): string {
  return `${kind}-${toUuid(hash128([kind, turnId, ...place].join('\u0000')))}`;
}

const shape = /^[a-z_]+-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether `id` has the form `prefix-uuid`. */
export function isWellFormedId(prefix: string, id: string): boolean {
  return id.startsWith(`${prefix}-`) && shape.test(id);
}

function hash128(text: string): readonly [number, number, number, number] {
  let a = 0x9368e53c;
  let b = 0x586dcd20;
  let c = 0x1b873593;
  let d = 0x38b34ae5;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 597399067) ^ (b >>> 15);
    b = Math.imul(b ^ unit, 2869860233) ^ (c >>> 13);
    c = Math.imul(c ^ unit, 951274213) ^ (d >>> 16);
    d = Math.imul(d ^ unit, 2716044179) ^ (a >>> 14);
  }
  a = finalMix(a ^ text.length ^ d);
  b = finalMix(b ^ a);
  c = finalMix(c ^ b);
  d = finalMix(d ^ c);
  return [a, b, c, d];
}

function finalMix(value: number): number {
  let h = value ^ (value >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function toUuid(words: readonly [number, number, number, number]): string {
  const hex = words.map((word) => word.toString(16).padStart(8, '0')).join('');
  // Version 4 and variant 1: clients check that ids look like random UUIDs.
  const variant = ((parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
