import { z } from 'zod';

/** A vector as an agent file holds it: its numbers as 32-bit floats, little-endian, in base64. */
export function toFileVector(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((number, index) => bytes.writeFloatLE(number, index * 4));
  return bytes.toString('base64');
}

/** A vector of an agent file, read back. */
export const fileVector = z
  .base64({ error: 'must be a vector: 32-bit floats, little-endian, in base64' })
  .refine((text) => text.length > 0 && Buffer.byteLength(text, 'base64') % 4 === 0, {
    error: 'must be a vector: its bytes are not a whole number of 32-bit floats',
  })
  .transform((text) => {
    const bytes = Buffer.from(text, 'base64');
    return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
  })
  .refine((vector) => vector.every(Number.isFinite), { error: 'must be a vector of finite numbers' });
