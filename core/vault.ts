/**
 * Seals short texts that nobody who reads the database may read. A text is bound to its place (whose it is, and its name
 * there): moved to another one it can't be opened.
 */
export interface Vault {
  /** Ids of the keys that it can open with; the first seals. */
  readonly keyIds: readonly string[];
  /** Throws VaultError where there is no key. */
  seal(text: string, place: string): string;
  /** Throws VaultError where it is not sealed for this place, or with a key that isn't here. */
  open(sealed: string, place: string): string;
}

/** Stands for a value that is kept, wherever one would be shown. Sent back, it means the value that is kept. */
export const mask = '********';

/** Whether a text is one that a vault has sealed. */
export function isSealed(text: string): boolean {
  return sealedPattern.test(text);
}

/** The id of the key that a text is sealed with; undefined where it is not sealed. */
export function keyIdOf(sealed: string): string | undefined {
  return sealedPattern.exec(sealed)?.[1];
}

/** `sealed.1.<id of the key>.<nonce, text and tag in base64url>`. */
const sealedPattern = /^sealed\.1\.([0-9a-f]{32})\.[\w-]{38,}$/;
