import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { parseSecretKey, type SecretKey } from './secret-keys.js';

/** Types of settings. An error message is the end of a sentence that begins with the variable's name. */

/** A TCP port; 0: the system chooses. */
export const port = z
  .string()
  .regex(/^\d{1,5}$/, { error: 'must be a number from 0 to 65535' })
  .transform(Number)
  .refine((value) => value <= 65_535, { error: 'must be a number from 0 to 65535' });

/** A time in ms of at least one second. */
export const milliseconds = z
  .string()
  .regex(/^\d{1,9}$/, { error: 'must be a number of milliseconds' })
  .transform(Number)
  .refine((value) => value >= 1_000, { error: 'must be at least 1000 (milliseconds)' });

/** A size in MB. Postgres stores a file in pieces of one MB, and its reader holds it in memory. */
export const megabytes = z
  .string()
  .regex(/^\d{1,4}$/, { error: 'must be a number of megabytes from 1 to 9999' })
  .transform(Number)
  .refine((value) => value >= 1, { error: 'must be a number of megabytes from 1 to 9999' });

/** A number of things in a process. */
export const count = z
  .string()
  .regex(/^\d{1,5}$/, { error: 'must be a number from 1 to 99999' })
  .transform(Number)
  .refine((value) => value >= 1, { error: 'must be a number from 1 to 99999' });

export const httpUrl = z
  .string()
  .refine((value) => hasProtocol(value, ['http:', 'https:']), {
    error: 'must be a URL such as http://localhost:11434/v1',
  })
  // Lists of models show it, and servers would refuse the request.
  .refine((value) => !URL.canParse(value) || new URL(value).username + new URL(value).password === '', {
    error: 'must not hold a user or password: use the variable for the key',
  })
  .transform((value) => value.replace(/\/+$/, ''));

export const postgresUrl = z.string().refine((value) => hasProtocol(value, ['postgres:', 'postgresql:']), {
  error: 'must be a URL such as postgres://user:password@host:5432/database',
});

export const hostAndPort = z.string().regex(/^(\[[0-9a-fA-F:]+\]|[\w.-]+):\d{1,5}$/, {
  error: 'must be host:port without a protocol, such as localhost:7233',
});

/** An existing file. The value is its absolute path. */
export const existingFile = z
  .string()
  .transform((value) => resolve(value))
  .refine((value) => existsSync(value), { error: 'must name a file that exists' });

export const flag = z
  .enum(['true', 'false', '1', '0'], { error: 'must be true or false' })
  .transform((value) => value === 'true' || value === '1');

export const text = z.string();

const keyRule = 'must be 32 random bytes in hex or base64, as openssl rand -hex 32 gives them';

/** A key for secrets. Errors never show it. */
export const secretKey = z.string().transform((value, context): SecretKey => {
  const key = parseSecretKey(value);
  if (key !== undefined) return key;
  context.addIssue({ code: 'custom', message: keyRule });
  return z.NEVER;
});

/** Names separated by commas. */
export const names = z.string().transform((value) =>
  value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== ''),
);

/** Keys for secrets, separated by commas. */
export const secretKeys = names.pipe(z.array(secretKey));

/** Hosts with or without a port, separated by commas. */
export const hosts = names.refine(
  (all) => all.every((host) => /^(\[[0-9a-fA-F:]+\]|[\w.-]+)(:\d{1,5})?$/.test(host)),
  { error: 'must be hosts with commas between, such as agents.example.com,localhost:3000' },
);

/** A model or embedding model: `provider/name`. */
export const handle = z
  .string()
  .regex(/^[^/\s]+\/\S+$/, { error: 'must be provider/model, such as openai/gpt-4o-mini' });

function hasProtocol(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol);
}
